import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

/**
 * The claims of Hydra's id_token: its own, and what the consent application puts into the session.
 * @see https://www.ory.com/docs/oauth2-oidc/openid-connect-claims-scope-custom
 */
export interface OryHydraProfile {
  iss: string
  sub: string
  aud: string[]
  iat: number
  exp: number
  auth_time: number
  rat: number
  jti: string
  /** The session at Hydra. */
  sid?: string
  name?: string
  preferred_username?: string
  email?: string
  email_verified?: boolean
  picture?: string
  // biome-ignore lint/suspicious/noExplicitAny: the consent application defines the claims, as in the contract
  [claim: string]: any
}

/**
 * Sign-in with Ory Hydra, a server of your own or Ory Network.
 *
 * Environment: `AUTH_HYDRA_ID`, `AUTH_HYDRA_SECRET`, `AUTH_HYDRA_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/hydra`.
 * Console: `hydra create client`, or https://console.ory.sh, OAuth 2
 *
 * - The id of this provider is `hydra`, in the redirect URI and in the variables.
 * - The issuer is Hydra's public address: `https://hydra.example.com`, or `https://my-project.projects.oryapis.com`.
 * - The client must be allowed the scopes `openid profile email`: Hydra refuses what a client was not registered for.
 * - The account is the subject that the login application accepts. It must not be a name or an address, which can pass to
 *   another person.
 * - What stands in the profile, and whether the address is proven, is what the consent application puts into
 *   `session.id_token`.
 *
 * @example
 * import OryHydra from "latchkey/providers/ory-hydra"
 * app.use(authMiddleware({ providers: [OryHydra({ issuer: process.env.AUTH_HYDRA_ISSUER })] }))
 */
export default function OryHydra<P extends OryHydraProfile = OryHydraProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "hydra",
    name: "Hydra",
    type: "oidc",
    style: { brandColor: "#fff" },
    options,
  }
}

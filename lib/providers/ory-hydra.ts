import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Hydra's id_token, including those that the consent application adds to the session.
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
  /** The id of the session at Hydra. */
  sid?: string
  name?: string
  preferred_username?: string
  email?: string
  email_verified?: boolean
  picture?: string
  // biome-ignore lint/suspicious/noExplicitAny: the consent application defines the claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with Ory Hydra: your own server or Ory Network.
 *
 * Environment: `AUTH_HYDRA_ID`, `AUTH_HYDRA_SECRET`, `AUTH_HYDRA_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/hydra`.
 * Console: `hydra create client`, or https://console.ory.sh, OAuth 2
 *
 * - The id of this provider, in the redirect URI and the variable names, is `hydra`.
 * - The issuer is Hydra's public address: `https://hydra.example.com`, or `https://my-project.projects.oryapis.com`.
 * - Register the client with the scopes `openid profile email`.
 * - The account id is the subject that the login application accepts. Do not use a name or an address, which can be
 *   reassigned.
 * - The consent application sets the profile, including whether the address is verified, in `session.id_token`.
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

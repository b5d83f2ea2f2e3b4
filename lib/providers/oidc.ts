import type { Profile } from "../types.js"
import type { OIDCConfig, OIDCUserConfig } from "./provider.js"
import { serverOf } from "./vendor.js"

/** What the server is called when nobody says: by its address, which people may know. */
function hostOf(server: string | undefined): string | undefined {
  return server && URL.canParse(server) ? new URL(server).host : undefined
}

/**
 * Sign-in with any provider of OpenID Connect, by its issuer.
 *
 * Environment: `AUTH_OIDC_ID`, `AUTH_OIDC_SECRET`, and the provider as `AUTH_OIDC_ISSUER` (`https://id.example.com`).
 * Redirect URI: `https://example.com/auth/callback/oidc`.
 * Console: the provider's own
 *
 * - `id` stands in the redirect URI and in the variables: of `OIDC({ id: "acme-id" })` they are
 *   `https://example.com/auth/callback/acme-id`, `AUTH_ACME_ID_ID`, `AUTH_ACME_ID_SECRET` and `AUTH_ACME_ID_ISSUER`. It is
 *   part of every account, so keep it.
 * - `name` is what the button says: the issuer's host unless you give one.
 * - Everything else is read from the issuer's `/.well-known/openid-configuration`; `wellKnown` is for a provider that has
 *   it elsewhere.
 * - The profile is the id_token's claims. Where it has no name or no address although the scopes `profile` and `email` were
 *   granted, userinfo is asked for them. `idToken: true` never asks userinfo, and `idToken: false` takes the profile from
 *   there alone.
 *
 * @example
 * import OIDC from "latchkey/providers/oidc"
 * app.use(authMiddleware({ providers: [OIDC({ id: "acme-id", name: "Acme ID", issuer: "https://id.acme.example" })] }))
 */
export default function OIDC<P extends Profile = Profile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  const { id = "oidc", name = hostOf(serverOf(id, options)) ?? "OpenID Connect" } = options
  return { id, name, type: "oidc", options }
}

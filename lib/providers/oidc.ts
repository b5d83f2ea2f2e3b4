import type { Profile } from "../base/types.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { readServer } from "../provider-kit/vendor.js"

/** Returns the host of the server, which is the default name. Undefined if the server is not a URL. */
function readHost(server: string | undefined): string | undefined {
  return server && URL.canParse(server) ? new URL(server).host : undefined
}

/**
 * Sign-in with any OpenID Connect provider, given by its issuer.
 * Environment: also `AUTH_OIDC_ISSUER`, the provider's issuer (`https://id.example.com`).
 * Console: the console of your provider
 * - `id` is part of the redirect URI and the variable names: `OIDC({ id: "acme-id" })` uses `/auth/callback/acme-id`
 *   and `AUTH_ACME_ID_ID`, `AUTH_ACME_ID_SECRET` and `AUTH_ACME_ID_ISSUER`. The id is stored with every account, so do
 *   not change it.
 * - `name` is the label of the button, by default the issuer's host.
 * - Everything else is read from the issuer's `/.well-known/openid-configuration`, or from `wellKnown`.
 * - The profile is the id_token's claims. If the name or the email address is missing although its scope, `profile` or
 *   `email`, was granted, the profile is also read from userinfo. `idToken: true` never calls userinfo. `idToken:
 *   false` reads the profile only from userinfo.
 * @example
 * import OIDC from "latchkey/providers/oidc"
 * app.use(authMiddleware({ providers: [OIDC({ id: "acme-id", name: "Acme ID", issuer: "https://id.acme.example" })] }))
 */
export default function OIDC<P extends Profile = Profile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  const { id = "oidc", name = readHost(readServer(id, options)) ?? "OpenID Connect" } = options
  return { id, name, type: "oidc", options }
}

import { trimTrailingSlashes } from "../base/text.js"
import type { Profile } from "../base/types.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { readServer } from "../provider-kit/vendor.js"

/** The location of the server: its issuer, or its three endpoints. */
export type ServerLocation<P> =
  | { issuer: string | undefined }
  | Required<Pick<OAuth2Config<P>, "authorization" | "token" | "userinfo">>

/**
 * Returns the metadata URL. RFC 8414 §3.1 inserts the well-known path between host and path of the issuer; OpenID
 * Connect appends it.
 */
function toMetadataUrl(server: string): string {
  const { origin, pathname } = new URL(server)
  return `${origin}/.well-known/oauth-authorization-server${trimTrailingSlashes(pathname)}`
}

/**
 * Sign-in with any OAuth 2 server, given by its issuer or its three endpoints.
 * Environment: also `AUTH_OAUTH2_ISSUER`, the server's issuer (`https://auth.example.com`).
 * Console: the console of your server
 * - `id` is part of the redirect URI and the variable names: `OAuth2({ id: "acme" })` uses `/auth/callback/acme` and
 *   `AUTH_ACME_ID`, `AUTH_ACME_SECRET` and `AUTH_ACME_ISSUER`. The id is stored with every account, so do not change
 *   it.
 * - `name` is the label of the button, by default the issuer's host.
 * - With an issuer, the endpoints are read from its `/.well-known/oauth-authorization-server` (RFC 8414), or from
 *   `wellKnown`. Also set `userinfo`, because this document does not contain it.
 * - `profile` converts the userinfo response to a user. By default the account id is `sub`, or `id` if there is no
 *   `sub`, and the other members are the standard claims of OpenID Connect. Use an id that the server never reassigns:
 *   not a name or an address.
 * - Set a scope with `authorization: { params: { scope: "read:user" } }`. There is no default scope.
 * - An id_token is ignored. For a server that issues id_tokens, use `latchkey/providers/oidc`.
 * @example
 * import OAuth2 from "latchkey/providers/oauth2"
 * OAuth2({ id: "acme", issuer: "https://auth.acme.example", userinfo: "https://api.acme.example/me" })
 */
export default function OAuth2<P extends Profile = Profile>(
  options: OAuthUserConfig<P> & ServerLocation<P>,
): OAuth2Config<P> {
  const { id = "oauth2" } = options
  const configuredServer = readServer(id, options)
  const server = configuredServer && URL.canParse(configuredServer) ? configuredServer : undefined
  return {
    id,
    name: options.name ?? (server ? new URL(server).host : "OAuth 2"),
    type: "oauth",
    ...(server && { wellKnown: toMetadataUrl(server) }),
    // Without this empty scope, the core would request the scopes of OpenID Connect from a custom endpoint.
    authorization: { params: { scope: "" } },
    options,
  }
}

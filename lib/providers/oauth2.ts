import { trimTrailingSlashes } from "../http/trim-slashes.js"
import type { Profile } from "../types.js"
import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { serverOf } from "./vendor.js"

/** How the server is found: by its issuer, or by its endpoints. */
export type ServerLocation<P> =
  | { issuer: string | undefined }
  | Required<Pick<OAuth2Config<P>, "authorization" | "token" | "userinfo">>

/** Between the host and the path of the issuer, where OpenID Connect puts it after both (RFC 8414 §3.1). */
function metadataOf(server: string): string {
  const { origin, pathname } = new URL(server)
  return `${origin}/.well-known/oauth-authorization-server${trimTrailingSlashes(pathname)}`
}

/**
 * Sign-in with any server of OAuth 2, by its issuer or by its three endpoints.
 *
 * Environment: `AUTH_OAUTH2_ID`, `AUTH_OAUTH2_SECRET`, and the server as `AUTH_OAUTH2_ISSUER`
 * (`https://auth.example.com`).
 * Redirect URI: `https://example.com/auth/callback/oauth2`.
 * Console: the server's own
 *
 * - `id` stands in the redirect URI and in the variables: of `OAuth2({ id: "acme" })` they are
 *   `https://example.com/auth/callback/acme`, `AUTH_ACME_ID`, `AUTH_ACME_SECRET` and `AUTH_ACME_ISSUER`. It is part of
 *   every account, so keep it.
 * - `name` is what the button says: the issuer's host unless you give one.
 * - With an issuer the endpoints are read from its `/.well-known/oauth-authorization-server` (RFC 8414); `wellKnown` is
 *   for a server that has it elsewhere. Who somebody is stands in no such document: give `userinfo`, the address that
 *   answers it.
 * - `profile` makes the user of that answer. Without it the account is `sub` or else `id`, and the rest the standard
 *   claims of OpenID Connect. Take what the server never gives to another person: not a name, not an address.
 * - No scope is asked for: `authorization: { params: { scope: "read:user" } }` does. An id_token is not looked at; a
 *   server that has one is for `latchkey/providers/oidc`.
 *
 * @example
 * import OAuth2 from "latchkey/providers/oauth2"
 * OAuth2({ id: "acme", issuer: "https://auth.acme.example", userinfo: "https://api.acme.example/me" })
 */
export default function OAuth2<P extends Profile = Profile>(
  options: OAuthUserConfig<P> & ServerLocation<P>,
): OAuth2Config<P> {
  const { id = "oauth2" } = options
  const found = serverOf(id, options)
  const server = found && URL.canParse(found) ? found : undefined
  return {
    id,
    name: options.name ?? (server ? new URL(server).host : "OAuth 2"),
    type: "oauth",
    ...(server && { wellKnown: metadataOf(server) }),
    // Otherwise an endpoint of the application's own is asked for the scopes of OpenID Connect.
    authorization: { params: { scope: "" } },
    options,
  }
}

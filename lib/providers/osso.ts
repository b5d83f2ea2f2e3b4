import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, readServer, requireId } from "../provider-kit/vendor.js"

/**
 * The user, as Osso maps the identity provider's data.
 * @see https://ossoapp.com/docs/integration/oauth-consumption
 */
export interface OssoProfile {
  id: string
  email: string
  /** Name of the identity provider: "Okta". */
  idp: string
  /** The parameters of the authorization request. */
  requested?: { domain: string | null; email: string | null }
  // biome-ignore lint/suspicious/noExplicitAny: additional members depend on the version, as in Auth.js
  [member: string]: any
}

/**
 * Sign-in with your own Osso server, which uses SAML with your customers' identity providers.
 *
 * Environment: `AUTH_OSSO_ID`, `AUTH_OSSO_SECRET`, and the server as `AUTH_OSSO_ISSUER` (`https://osso.example.com`,
 * with or without a slash at its end).
 * Redirect URI: `https://example.com/auth/callback/osso`.
 * Console: `https://osso.example.com/admin/config`, OAuth Clients
 *
 * - Osso finds the customer by `domain` or `email`. Send one as an authorization parameter; otherwise Osso asks the
 *   user.
 * - No name and no picture. Email verification is not documented.
 *
 * @example
 * import Osso from "latchkey/providers/osso"
 * app.use(authMiddleware({ providers: [Osso({ issuer: process.env.AUTH_OSSO_ISSUER })] }))
 */
export default function Osso<P extends OssoProfile = OssoProfile>(
  options: OAuthUserConfig<P> & { issuer: string | undefined },
): OAuth2Config<P> {
  const server = readServer("osso", options)
  return {
    id: "osso",
    name: "Osso",
    type: "oauth",
    authorization: { url: server && `${server}/oauth/authorize`, params: { scope: "" } },
    token: server && `${server}/oauth/token`,
    userinfo: server && `${server}/oauth/me`,
    profile: ({ id, email }) => ({ id: requireId("Osso", id), name: null, email: firstText(email), image: null }),
    options,
  }
}

import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { readServer } from "../provider-kit/vendor.js"

/** The user, as Osso maps the identity provider's data: https://ossoapp.com/docs/integration/oauth-consumption */
export interface OssoProfile extends OtherMembers {
  id: string
  email: string
  /** Name of the identity provider: "Okta". */
  idp: string
  /** The parameters of the authorization request. */
  requested?: { domain: string | null; email: string | null }
}

/**
 * Sign-in with your own Osso server, which connects to your customers' identity providers with SAML.
 * Environment: also `AUTH_OSSO_ISSUER`, the server's address (`https://osso.example.com`, with or without a trailing
 * slash).
 * Console: `https://osso.example.com/admin/config`, OAuth Clients
 * - Osso finds the customer by `domain` or `email`. Send `domain` or `email` as an authorization parameter. Otherwise
 *   Osso asks the user.
 * - The user has no name and no picture. Osso does not document whether email addresses are verified.
 */
export default function Osso<P extends OssoProfile = OssoProfile>(
  options: OAuthUserConfig<P> & { issuer: string | undefined },
): OAuth2Config<P> {
  const server = readServer("osso", options)
  return oauthProvider<P>("osso", "Osso", {
    authorization: { url: server && `${server}/oauth/authorize`, params: { scope: "" } },
    token: server && `${server}/oauth/token`,
    userinfo: server && `${server}/oauth/me`,
    user: ({ id, email }) => ({ id, email }),
  })(options)
}

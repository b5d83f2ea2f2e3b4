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
 * Sign-in with your own Osso server, which uses SAML with your customers' identity providers.
 * Environment: also the server as `AUTH_OSSO_ISSUER` (`https://osso.example.com`, with or without a slash at its end).
 * Console: `https://osso.example.com/admin/config`, OAuth Clients
 * - Osso finds the customer by `domain` or `email`. Send one as an authorization parameter; otherwise Osso asks the
 *   user.
 * - No name and no picture. Email verification is not documented.
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

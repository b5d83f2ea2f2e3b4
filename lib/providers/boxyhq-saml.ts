import { fullName, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { readServer } from "../provider-kit/vendor.js"

/**
 * The user who signed in at the identity provider, as the BoxyHQ server describes the user.
 * @see https://boxyhq.com/docs/jackson/sso-flow/
 */
export interface BoxyHQSAMLProfile extends OtherMembers {
  id: string
  email: string
  firstName?: string
  lastName?: string
  /** The parameters of the authorization request, such as tenant and product. */
  requested?: Record<string, string>
  /** The attributes as the identity provider sent them. */
  raw?: Record<string, unknown>
}

/**
 * Sign-in with SAML through your own BoxyHQ server (SAML Jackson, now Ory Polis).
 * Environment: also `AUTH_BOXYHQ_SAML_ISSUER`, the server's address (`https://sso.example.com`).
 * Console: `https://sso.example.com/admin/`, Connections
 * - To use one client for all connections, set `dummy` as the client id and the server's `CLIENT_SECRET_VERIFIER` as
 *   the secret. Your sign-in form must then send `tenant` and `product` in the query:
 *   `/auth/signin/boxyhq-saml?tenant=…&product=…`.
 * - With several connections, add `profile.requested.tenant` to the id in your own `profile` function. Otherwise one
 *   customer's identity provider can return the id of another customer's user.
 * - The server does not report whether email addresses are verified.
 */
export default function BoxyHQSAML<P extends BoxyHQSAMLProfile = BoxyHQSAMLProfile>(
  options: OAuthUserConfig<P> & { issuer: string | undefined },
): OAuth2Config<P> {
  const server = readServer("boxyhq-saml", options)
  return oauthProvider<P>("boxyhq-saml", "BoxyHQ SAML", {
    // With an OpenID Connect scope the server would act as an OpenID provider.
    authorization: { url: server && `${server}/api/oauth/authorize`, params: { provider: "saml", scope: "" } },
    token: server && `${server}/api/oauth/token`,
    userinfo: server && `${server}/api/oauth/userinfo`,
    // The server reads the client secret only from the form body.
    client: { token_endpoint_auth_method: "client_secret_post" },
    user: ({ id, email, firstName, lastName }) => ({ id, name: fullName(firstName, lastName), email }),
    brandColor: "#25c2a0",
  })(options)
}

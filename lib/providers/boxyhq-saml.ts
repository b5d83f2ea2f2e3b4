import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { firstText, fullName, requireId, serverOf } from "./vendor.js"

/**
 * Who signed in at the identity provider, as the server tells it.
 * @see https://boxyhq.com/docs/jackson/sso-flow/
 */
export interface BoxyHQSAMLProfile {
  id: string
  email: string
  firstName?: string
  lastName?: string
  /** What the sign-in was asked for with: tenant, product and the like. */
  requested?: Record<string, string>
  /** The attributes as the identity provider sent them. */
  raw?: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: attributes depend on the identity provider, as in the contract
  [member: string]: any
}

/**
 * Sign-in with SAML through a BoxyHQ server of your own (SAML Jackson, now Ory Polis).
 *
 * Environment: `AUTH_BOXYHQ_SAML_ID`, `AUTH_BOXYHQ_SAML_SECRET`, and the server as `AUTH_BOXYHQ_SAML_ISSUER`
 * (`https://sso.example.com`).
 * Redirect URI: `https://example.com/auth/callback/boxyhq-saml`.
 * Console: `https://sso.example.com/admin/`, Connections
 *
 * - One client for all connections has `dummy` as its id and the server's `CLIENT_SECRET_VERIFIER` as its secret; the
 *   sign-in form then sends `tenant` and `product` in its query: `/auth/signin/boxyhq-saml?tenant=…&product=…`.
 * - The id is what the identity provider says it is: with several connections, the server of one customer can name a
 *   person of another's. Make it part of the account then, by a `profile` of your own that takes
 *   `profile.requested.tenant` into the id.
 * - Nothing says whether the e-mail address was proven, so it links to no existing user.
 *
 * @example
 * import BoxyHQ from "latchkey/providers/boxyhq-saml"
 * app.use(authMiddleware({ providers: [BoxyHQ({ issuer: process.env.AUTH_BOXYHQ_SAML_ISSUER })] }))
 */
export default function BoxyHQSAML<P extends BoxyHQSAMLProfile = BoxyHQSAMLProfile>(
  options: OAuthUserConfig<P> & { issuer: string | undefined },
): OAuth2Config<P> {
  const server = serverOf("boxyhq-saml", options)
  return {
    id: "boxyhq-saml",
    name: "BoxyHQ SAML",
    type: "oauth",
    // With a scope of OpenID Connect the server would answer as an OpenID provider.
    authorization: { url: server && `${server}/api/oauth/authorize`, params: { provider: "saml", scope: "" } },
    token: server && `${server}/api/oauth/token`,
    userinfo: server && `${server}/api/oauth/userinfo`,
    // The server reads the client's secret from the form alone.
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ id, email, firstName, lastName }) {
      return {
        id: requireId("BoxyHQ SAML", id),
        name: fullName(firstName, lastName),
        email: firstText(email),
        image: null,
      }
    },
    style: { brandColor: "#25c2a0" },
    options,
  }
}

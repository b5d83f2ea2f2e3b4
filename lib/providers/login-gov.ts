import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { firstText, fullName, readServer, requireId } from "../provider-kit/vendor.js"

/**
 * The response of Login.gov's userinfo endpoint.
 * @see https://developers.login.gov/oidc/user-info/
 */
export interface LoginGovProfile {
  /** A UUID of the user. */
  sub: string
  iss: string
  email: string
  email_verified: boolean
  /** With the scope "all_emails". */
  all_emails?: string[]
  locale?: string | null
  /** When the identity was last verified, in seconds. Requires the scope "profile:verified_at". */
  verified_at?: number | null
  /** The names and the following members require a verified identity and a scope each. */
  given_name?: string
  family_name?: string
  birthdate?: string
  address?: {
    formatted: string
    street_address: string
    locality: string
    region: string
    postal_code: string
  }
  phone?: string | null
  phone_verified?: boolean
  social_security_number?: string
  x509_subject?: string
  x509_presented?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: additional scopes add attributes
  [claim: string]: any
}

const PRODUCTION = "https://secure.login.gov"

/**
 * Sign-in with Login.gov (United States government).
 *
 * Environment: `AUTH_LOGIN_GOV_ID`, and, for the sandbox, `AUTH_LOGIN_GOV_ISSUER`
 * (`https://idp.int.identitysandbox.gov`).
 * Redirect URI: `https://example.com/auth/callback/login-gov`.
 * Console: https://dashboard.int.identitysandbox.gov
 *
 * - There is no client secret. Choose PKCE in the dashboard, or `private_key_jwt`, which Login.gov prefers for web
 *   applications, with the certificate's private key, a CryptoKey for RS256: `LoginGov({ token: { clientPrivateKey }
 *   })`.
 * - The client id is the application's issuer, for example `urn:gov:gsa:openidconnect.profiles:sp:sso:agency:app`.
 * - The profile is read from userinfo. All addresses are verified.
 * - By default the identity is not verified and there is no name. To request names, set `authorization: { params: {
 *   acr_values: "urn:acr.login.gov:verified", scope: "openid email profile:name" } }`.
 *
 * @example
 * import LoginGov from "latchkey/providers/login-gov"
 * app.use(authMiddleware({ providers: [LoginGov] }))
 */
export default function LoginGov<P extends LoginGovProfile = LoginGovProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return {
    id: "login-gov",
    name: "Login.gov",
    type: "oidc",
    // Read here because a default would hide the environment variable.
    issuer: readServer("login-gov", options) ?? PRODUCTION,
    authorization: {
      params: { scope: "openid email", acr_values: "urn:acr.login.gov:auth-only", prompt: "select_account" },
    },
    client: { token_endpoint_auth_method: options.token?.clientPrivateKey ? "private_key_jwt" : "none" },
    idToken: false,
    profile({ sub, given_name, family_name, email }) {
      return {
        id: requireId("Login.gov", sub),
        name: fullName(given_name, family_name),
        email: firstText(email),
        image: null,
      }
    },
    style: { brandColor: "#112E51" },
    options,
  }
}

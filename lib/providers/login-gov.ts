import type { OIDCConfig, OIDCUserConfig } from "./provider.js"
import { firstText, fullName, requireId, serverOf } from "./vendor.js"

/**
 * What Login.gov's userinfo endpoint answers.
 * @see https://developers.login.gov/oidc/user-info/
 */
export interface LoginGovProfile {
  /** A UUID of the person. */
  sub: string
  iss: string
  email: string
  email_verified: boolean
  /** With the scope "all_emails". */
  all_emails?: string[]
  locale?: string | null
  /** When the identity was last verified, in seconds; with the scope "profile:verified_at". */
  verified_at?: number | null
  /** The names, and what follows, of a person with a verified identity, each with its scope. */
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
  // biome-ignore lint/suspicious/noExplicitAny: further attributes come with further scopes
  [claim: string]: any
}

const PRODUCTION = "https://secure.login.gov"

/**
 * Sign-in with Login.gov, of the government of the United States.
 *
 * Environment: `AUTH_LOGIN_GOV_ID`, and, for the sandbox, `AUTH_LOGIN_GOV_ISSUER`
 * (`https://idp.int.identitysandbox.gov`).
 * Redirect URI: `https://example.com/auth/callback/login-gov`.
 * Console: https://dashboard.int.identitysandbox.gov
 *
 * - There is no client secret. Choose PKCE for the application in the dashboard and give nothing more, or choose
 *   `private_key_jwt`, which Login.gov prefers for web applications, and give the private key of the certificate:
 *   `LoginGov({ token: { clientPrivateKey } })`, a CryptoKey for RS256.
 * - The client id is the application's issuer, `urn:gov:gsa:openidconnect.profiles:sp:sso:agency:app` for instance.
 * - The profile is read from the userinfo endpoint: the id_token has no address. All addresses are proven.
 * - No identity is verified unless you ask, and then there is no name: for names write
 *   `authorization: { params: { acr_values: "urn:acr.login.gov:verified", scope: "openid email profile:name" } }`.
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
    // Read here: a default would hide the variable.
    issuer: serverOf("login-gov", options) ?? PRODUCTION,
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

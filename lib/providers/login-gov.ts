import { fullName, type OtherMembers, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { readServer } from "../provider-kit/vendor.js"

/** The response of Login.gov's userinfo endpoint: https://developers.login.gov/oidc/user-info/ */
export interface LoginGovProfile extends OtherMembers {
  sub: string
  iss: string
  email: string
  email_verified: boolean
  /** Requires the scope "all_emails". */
  all_emails?: string[]
  locale?: string | null
  /** When the identity was last verified, in seconds. Requires the scope "profile:verified_at". */
  verified_at?: number | null
  /** This and the following members require a verified identity, and each requires its own scope. */
  given_name?: string
  family_name?: string
  birthdate?: string
  address?: { formatted: string; street_address: string; locality: string; region: string; postal_code: string }
  phone?: string | null
  phone_verified?: boolean
  social_security_number?: string
  x509_subject?: string
  x509_presented?: boolean
}

const PRODUCTION = "https://secure.login.gov"

/**
 * Sign-in with Login.gov (United States government).
 * Environment: `AUTH_LOGIN_GOV_ID`, and, for the sandbox, `AUTH_LOGIN_GOV_ISSUER`
 * (`https://idp.int.identitysandbox.gov`).
 * Console: https://dashboard.int.identitysandbox.gov
 * - There is no client secret. Choose PKCE or `private_key_jwt` in the dashboard. Login.gov prefers `private_key_jwt`
 *   for web applications. For `private_key_jwt`, set the certificate's private key, which is a CryptoKey for RS256:
 *   `LoginGov({ token: { clientPrivateKey } })`.
 * - The client id is the application's issuer, for example `urn:gov:gsa:openidconnect.profiles:sp:sso:agency:app`.
 * - The profile is read from userinfo. All email addresses are verified.
 * - By default the identity is not verified, and the user has no name. To request names, set `authorization: { params:
 *   { acr_values: "urn:acr.login.gov:verified", scope: "openid email profile:name" } }`.
 */
export default function LoginGov<P extends LoginGovProfile = LoginGovProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return oidcProvider<P>("login-gov", "Login.gov", {
    // The variable is read here, because the core reads it only if the definition has no issuer.
    issuer: readServer("login-gov", options) ?? PRODUCTION,
    authorization: {
      params: { scope: "openid email", acr_values: "urn:acr.login.gov:auth-only", prompt: "select_account" },
    },
    client: { token_endpoint_auth_method: options.token?.clientPrivateKey ? "private_key_jwt" : "none" },
    idToken: false,
    user: ({ sub, given_name, family_name, email }) => ({ id: sub, name: fullName(given_name, family_name), email }),
    brandColor: "#112E51",
  })(options)
}

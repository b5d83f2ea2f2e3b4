import { oidcProvider, type StandardClaims } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { providerVariable } from "../provider-kit/vendor.js"

/** @see https://confluence.bankidnorge.no/confluence/pdoidcl/technical-documentation/api/userinfo */
export interface BankIDNorwayProfile extends StandardClaims {
  name: string
  given_name: string
  family_name: string
  /** YYYY-MM-DD */
  birthdate: string
  updated_at: number
  /** The kind of BankID and its level of assurance: "urn:bankid:bid;LOA=4". */
  acr: string
  amr: "BID" | "BIM" | "BIS"
  /** Identifies the user in BankID certificates. */
  bankid_altsub: string
  /** The bank that issued the BankID. */
  originator: string
  /** The national identity number, for authorized clients. */
  nnin_altsub?: string
}

/**
 * A separate service signs the userinfo with the issuer's keys and states its own address as the issuer. BankID does
 * not document whether this address ends in a slash, so both forms are accepted.
 */
const userinfoIssuerOf: Required<OIDCConfig>["userinfoIssuerOf"] = ({ iss }, { issuer, endpoint }) => {
  const service = new URL(".", endpoint).href
  return [service, service.replace(/\/$/, "")].find((candidate) => candidate === iss) ?? issuer
}

/**
 * Sign-in with the Norwegian BankID.
 * Environment: also `AUTH_BANKID_NO_ISSUER`, which is needed only for the test environment
 * (`https://auth.current.bankid.no/auth/realms/current`).
 * Console: order a client from BankID at https://bankid.no/bedrift
 * - By default, users sign in with BankID with biometrics, and the pages are in Norwegian. For a password or another
 *   language, set `authorization: { params: { login_hint: "BID", ui_locales: "en" } }`.
 * - BankID does not document whether email addresses are verified. The user has no picture.
 * - Userinfo is signed with RS256. If BankID moved your client to another algorithm, set `client: {
 *   userinfo_signed_response_alg: "ES256" }`. With `idToken: true` userinfo is not requested, so the user has no email
 *   address.
 */
export default function BankIDNorway<P extends BankIDNorwayProfile = BankIDNorwayProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return oidcProvider<P>("bankid-no", "BankID Norge", {
    // The variable is read here, because the core reads it only if the definition has no issuer.
    issuer: providerVariable("bankid-no", "ISSUER", options) || "https://auth.bankid.no/auth/realms/prod",
    authorization: { params: { ui_locales: "no", login_hint: "BIS" } },
    // The userinfo is a signed JWT.
    client: { token_endpoint_auth_method: "client_secret_post", userinfo_signed_response_alg: "RS256" },
    checks: ["pkce", "state", "nonce"],
    // Only the userinfo contains the email address.
    idToken: false,
    userinfoIssuerOf,
    user: ({ sub, name, email }) => ({ id: sub, name, email }),
    brandColor: "#39134c",
  })(options)
}

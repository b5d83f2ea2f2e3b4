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
 * not document whether that address ends in a slash, so both forms are accepted.
 */
const userinfoIssuerOf: Required<OIDCConfig>["userinfoIssuerOf"] = ({ iss }, { issuer, endpoint }) => {
  const service = new URL(".", endpoint).href
  return [service, service.replace(/\/$/, "")].find((own) => own === iss) ?? issuer
}

/**
 * Sign-in with the Norwegian BankID.
 * Environment: also for the test environment the issuer as `AUTH_BANKID_NO_ISSUER`
 * (`https://auth.current.bankid.no/auth/realms/current`).
 * Console: ordered from BankID, https://bankid.no/bedrift
 * - The default is BankID with biometrics, in Norwegian. For a password or another language, set `authorization: {
 *   params: { login_hint: "BID", ui_locales: "en" } }`.
 * - Email verification is not documented. No picture.
 * - Userinfo is signed with RS256. If BankID moved your client to another algorithm, set `client: {
 *   userinfo_signed_response_alg: "ES256" }`. With `idToken: true` userinfo is not requested and there is no address.
 */
export default function BankIDNorway<P extends BankIDNorwayProfile = BankIDNorwayProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return oidcProvider<P>("bankid-no", "BankID Norge", {
    // Read here because a default would hide the environment variable.
    issuer: providerVariable("bankid-no", "ISSUER", options) || "https://auth.bankid.no/auth/realms/prod",
    authorization: { params: { ui_locales: "no", login_hint: "BIS" } },
    // The userinfo is a signed JWT.
    client: { token_endpoint_auth_method: "client_secret_post", userinfo_signed_response_alg: "RS256" },
    checks: ["pkce", "state", "nonce"],
    // Only the userinfo contains the address.
    idToken: false,
    userinfoIssuerOf,
    user: ({ sub, name, email }) => ({ id: sub, name, email }),
    brandColor: "#39134c",
  })(options)
}

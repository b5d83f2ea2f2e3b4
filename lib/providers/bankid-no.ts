import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { firstText, providerVariable, requireId } from "../provider-kit/vendor.js"

/**
 * The claims of BankID's userinfo.
 * @see https://confluence.bankidnorge.no/confluence/pdoidcl/technical-documentation/api/userinfo
 */
export interface BankIDNorwayProfile {
  sub: string
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
  email?: string
  /** The national identity number, for authorized clients. */
  nnin_altsub?: string
  // biome-ignore lint/suspicious/noExplicitAny: additional scopes add claims, as in Auth.js
  [claim: string]: any
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
 *
 * Environment: `AUTH_BANKID_NO_ID`, `AUTH_BANKID_NO_SECRET`, and for the test environment the issuer as
 * `AUTH_BANKID_NO_ISSUER` (`https://auth.current.bankid.no/auth/realms/current`).
 * Redirect URI: `https://example.com/auth/callback/bankid-no`.
 * Console: ordered from BankID, https://bankid.no/bedrift
 *
 * - The default is BankID with biometrics, in Norwegian. For a password or another language, set `authorization: {
 *   params: { login_hint: "BID", ui_locales: "en" } }`.
 * - Email verification is not documented. No picture.
 * - Userinfo is signed with RS256. If BankID moved your client to another algorithm, set `client: {
 *   userinfo_signed_response_alg: "ES256" }`. With `idToken: true` userinfo is not requested and there is no address.
 *
 * @example
 * import BankIDNorway from "latchkey/providers/bankid-no"
 * app.use(authMiddleware({ providers: [BankIDNorway] }))
 */
export default function BankIDNorway<P extends BankIDNorwayProfile = BankIDNorwayProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return {
    id: "bankid-no",
    name: "BankID Norge",
    type: "oidc",
    // Read here because a default would hide the environment variable.
    issuer: providerVariable("bankid-no", "ISSUER", options) || "https://auth.bankid.no/auth/realms/prod",
    authorization: { params: { ui_locales: "no", login_hint: "BIS" } },
    // The userinfo is a signed JWT.
    client: { token_endpoint_auth_method: "client_secret_post", userinfo_signed_response_alg: "RS256" },
    checks: ["pkce", "state", "nonce"],
    // Only the userinfo contains the address.
    idToken: false,
    userinfoIssuerOf,
    profile({ sub, name, email }) {
      return { id: requireId("BankID Norge", sub), name: firstText(name), email: firstText(email), image: null }
    },
    style: { brandColor: "#39134c" },
    options,
  }
}

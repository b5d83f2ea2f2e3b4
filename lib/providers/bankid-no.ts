import type { OIDCConfig, OIDCUserConfig } from "./provider.js"
import { firstText, requireId, variableOf } from "./vendor.js"

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
  /** Which kind of BankID it was, and how much it assures: "urn:bankid:bid;LOA=4". */
  acr: string
  amr: "BID" | "BIM" | "BIS"
  /** What tells the person apart in certificates of BankID. */
  bankid_altsub: string
  /** The bank that issued the BankID. */
  originator: string
  email?: string
  /** The national identity number, for clients that may have it. */
  nnin_altsub?: string
  // biome-ignore lint/suspicious/noExplicitAny: further claims come with further scopes, as in the contract
  [claim: string]: any
}

/**
 * The userinfo is of a service of its own, which signs with the issuer's keys and names itself by its own address;
 * whether with a slash at its end BankID does not say.
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
 * - People are asked for BankID with biometrics, in Norwegian; for BankID with a password or another language give
 *   `authorization: { params: { login_hint: "BID", ui_locales: "en" } }`.
 * - The e-mail address is not documented to be proven. There is no picture.
 * - The userinfo is signed, with RS256; for a client that BankID has moved to another algorithm give
 *   `client: { userinfo_signed_response_alg: "ES256" }`. With `idToken: true` it is not asked, and there is no address.
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
    // Read here: a default would hide the variable.
    issuer: variableOf("bankid-no", "ISSUER", options) || "https://auth.bankid.no/auth/realms/prod",
    authorization: { params: { ui_locales: "no", login_hint: "BIS" } },
    // The userinfo is a signed JWT.
    client: { token_endpoint_auth_method: "client_secret_post", userinfo_signed_response_alg: "RS256" },
    checks: ["pkce", "state", "nonce"],
    // The address stands in the userinfo only.
    idToken: false,
    userinfoIssuerOf,
    profile({ sub, name, email }) {
      return { id: requireId("BankID Norge", sub), name: firstText(name), email: firstText(email), image: null }
    },
    style: { brandColor: "#39134c" },
    options,
  }
}

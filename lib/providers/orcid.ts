import { firstText, fullName, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/** @see https://github.com/ORCID/ORCID-Source/blob/main/orcid-web/ORCID_AUTH_WITH_OPENID_CONNECT.md */
export interface OrcidProfile {
  /** The ORCID iD: "0000-0002-2601-8132". */
  sub: string
  /** The credit name, if the user set one. */
  name?: string | null
  given_name?: string | null
  family_name?: string | null
  [claim: string]: unknown
}

/** Options of the factory. */
export type OrcidOptions<P> = OIDCUserConfig<P> & {
  /** Whether to use the sandbox, which has its own accounts, client id and secret. @default false */
  sandbox?: boolean | undefined
}

/**
 * Sign-in with ORCID.
 * Console: https://orcid.org/developer-tools
 * - The account id is the ORCID iD. The user has no email address and no picture, and no name if the user keeps the
 *   name private.
 * - For the sandbox, set `ORCID({ sandbox: true })` and register a client at
 *   `https://sandbox.orcid.org/developer-tools`.
 */
export default function ORCID<P extends OrcidProfile = OrcidProfile>(options: OrcidOptions<P> = {}): OIDCConfig<P> {
  return oidcProvider<P>("orcid", "ORCID", {
    issuer: options.sandbox ? "https://sandbox.orcid.org" : "https://orcid.org",
    authorization: { params: { scope: "openid" } },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // PKCE is not documented.
    checks: ["state", "nonce"],
    // ORCID's documentation does not list the name in the id_token.
    idToken: false,
    user: ({ sub, name, given_name, family_name }) => ({
      id: sub,
      name: firstText(name, fullName(given_name, family_name)),
    }),
    brandColor: "#A6CE39",
  })(options)
}

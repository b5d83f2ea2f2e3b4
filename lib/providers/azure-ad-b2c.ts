import { firstText, type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { ownVariable } from "../provider-kit/vendor.js"

/** @see https://learn.microsoft.com/en-us/azure/active-directory-b2c/tokens-overview#claims */
export interface AzureADB2CProfile extends IdTokenClaims {
  nbf: number
  auth_time: number
  ver: string
  /** The user flow or custom policy of this sign-in. */
  tfp?: string
  oid?: string
  idp?: string
  emails?: string[]
  country?: string
  postalCode?: string
}

type IssuerRules = Required<Pick<OIDCConfig, "conformMetadata" | "issuerOf">>

/**
 * Matches the issuer claim in both of its settings: with the tenant's GUID alone, or with the GUID and the user flow.
 */
const TENANT_ISSUER = /^(https:\/\/[^/]+)\/(?:tfp\/)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\/[\w-]+)?\/v2\.0\/$/i

/**
 * Returns functions that accept the issuer of B2C's metadata, which contains the tenant's GUID, although the configured
 * issuer is the user flow's address.
 */
function issuerRules(): IssuerRules {
  // The issuer of the metadata for each configured issuer.
  const metadataIssuers = new Map<string, string>()
  return {
    conformMetadata(metadata, issuer) {
      const metadataIssuer = String(metadata["issuer"])
      if (TENANT_ISSUER.exec(metadataIssuer)?.[1] !== issuer.origin) return metadata
      metadataIssuers.set(issuer.href, metadataIssuer)
      return { ...metadata, issuer: issuer.href }
    },
    issuerOf: (_claims, issuer) => metadataIssuers.get(issuer) ?? issuer,
  }
}

/**
 * Sign-in with a user flow or a custom policy of Azure AD B2C.
 * Console: https://portal.azure.com, Azure AD B2C, App registrations
 * - The issuer is the user flow's address:
 *   `https://my-tenant.b2clogin.com/my-tenant.onmicrosoft.com/B2C_1_signupsignin/v2.0`. Both settings of "Issuer (iss)
 *   claim" work.
 * - The client id is also requested as a scope, because B2C otherwise returns no access token.
 * - The profile contains the user flow's Application claims: "Display Name" is `name`, "Email Addresses" is `emails`.
 * - Microsoft does not document whether email addresses are verified. The user has no picture.
 */
export default function AzureADB2C<P extends AzureADB2CProfile = AzureADB2CProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  // The client id is read here, because the scope contains it.
  const clientId = options.clientId || ownVariable("azure-ad-b2c", "ID", options)
  return oidcProvider<P>("azure-ad-b2c", "Azure AD B2C", {
    authorization: { params: { scope: clientId ? `openid ${clientId}` : "openid" } },
    ...issuerRules(),
    user: ({ sub, name, preferred_username, emails }) => ({
      id: sub,
      name: firstText(name, preferred_username),
      email: emails?.[0],
    }),
    brandColor: "#0072c6",
  })(options)
}

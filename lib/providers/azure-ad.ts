import MicrosoftEntraID, { type MicrosoftEntraIDProfile } from "./microsoft-entra-id.js"
import type { OIDCConfig } from "./provider.js"
import { requireId, variableOf } from "./vendor.js"

/**
 * The claims of Microsoft's id_token, which is the same under the old name.
 * @see https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference
 */
export type AzureADProfile = MicrosoftEntraIDProfile

/** What the factory takes. */
export type AzureADOptions = Parameters<typeof MicrosoftEntraID>[0]

export type { MicrosoftEntraIDProfile }

const NAME = "Azure Active Directory"

/**
 * Sign-in with Microsoft under the name that Entra ID had before.
 *
 * Environment: `AUTH_AZURE_AD_ID`, `AUTH_AZURE_AD_SECRET`, `AUTH_AZURE_AD_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/azure-ad`.
 * Console: https://entra.microsoft.com, App registrations
 *
 * - All but the id is that of Microsoft Entra ID: the tenants, the photo, and the address that nobody proved.
 * - For applications whose accounts are linked under `azure-ad` already, or whose redirect URI can't be changed.
 * - Without an issuer of its own it takes that of `AUTH_MICROSOFT_ENTRA_ID_ISSUER`, and every tenant without either.
 *
 * @deprecated Use `latchkey/providers/microsoft-entra-id`.
 * @example
 * import AzureAD from "latchkey/providers/azure-ad"
 * app.use(authMiddleware({ providers: [AzureAD({ issuer: process.env.AUTH_AZURE_AD_ISSUER })] }))
 */
export default function AzureAD(options: AzureADOptions = {}): OIDCConfig<AzureADProfile> {
  const entra = MicrosoftEntraID(options)
  return {
    ...entra,
    id: "azure-ad",
    name: NAME,
    // Read here, as there: a default would hide the variable, and let every tenant in.
    issuer: variableOf("azure-ad", "ISSUER", options) || entra.issuer,
    async profile(profile, tokens, context) {
      requireId(NAME, profile.sub)
      return { ...(await entra.profile?.(profile, tokens, context)) }
    },
  }
}

import { requireId } from "../provider-kit/define.js"
import type { OIDCConfig } from "../provider-kit/provider.js"
import { providerVariable } from "../provider-kit/vendor.js"
import MicrosoftEntraID, { type MicrosoftEntraIDProfile } from "./microsoft-entra-id.js"

/** @see https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference */
export type AzureADProfile = MicrosoftEntraIDProfile

/** Options of the factory. */
export type AzureADOptions = Parameters<typeof MicrosoftEntraID>[0]

export type { MicrosoftEntraIDProfile }

const NAME = "Azure Active Directory"

/**
 * Sign-in with Microsoft under the former name of Entra ID.
 * Environment: also `AUTH_AZURE_AD_ISSUER`.
 * Console: https://entra.microsoft.com, App registrations
 * - Everything but the id is as for Microsoft Entra ID.
 * - Use it only if accounts are already linked under `azure-ad` or the redirect URI cannot be changed.
 * - Without its own issuer it uses `AUTH_MICROSOFT_ENTRA_ID_ISSUER`. Without either, every tenant is accepted.
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
    // Read here because a default would hide the environment variable and accept every tenant.
    issuer: providerVariable("azure-ad", "ISSUER", options) || entra.issuer,
    async profile(profile, tokens, context) {
      requireId(NAME, profile.sub)
      return { ...(await entra.profile?.(profile, tokens, context)) }
    },
  }
}

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
 * - Everything except the id is the same as for Microsoft Entra ID.
 * - Use this provider only if accounts are already linked under `azure-ad` or the redirect URI cannot be changed.
 * - If neither the option `issuer` nor `AUTH_AZURE_AD_ISSUER` is set, `AUTH_MICROSOFT_ENTRA_ID_ISSUER` is used. If this
 *   variable is not set either, every tenant is accepted.
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
    // The variable is read here, because the core reads it only if the definition has no issuer. The default issuer
    // accepts every tenant.
    issuer: providerVariable("azure-ad", "ISSUER", options) || entra.issuer,
    async profile(profile, tokens, context) {
      requireId(NAME, profile.sub)
      return { ...(await entra.profile?.(profile, tokens, context)) }
    },
  }
}

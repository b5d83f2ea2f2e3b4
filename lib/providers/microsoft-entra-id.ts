import type { TokenSet } from "../base/types.js"
import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig, ProviderContext } from "../provider-kit/provider.js"
import { providerVariable } from "../provider-kit/vendor.js"
import { raceWith } from "../security/outbound.js"

/** @see https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference */
export interface MicrosoftEntraIDProfile extends IdTokenClaims {
  /** Unique per application. `oid` with `tid` identifies a user across applications. */
  sub: string
  nbf: number
  ver: "2.0"
  tid: string
  oid: string
  name: string
  /** For display only, because the user can change this name and it is not verified. */
  preferred_username: string
  /** Set by the tenant's administrators and not verified; see `xms_edov`. */
  email: string
  /** An optional claim: whether the tenant owns the address's domain. */
  xms_edov?: boolean | 0 | 1 | "0" | "1" | "true" | "false"
  roles?: string[]
  groups?: string[]
}

/** Options of the factory. */
export type EntraOptions = OIDCUserConfig<MicrosoftEntraIDProfile> & {
  /** The width in pixels of the square photo used as the user's image; `false` requests no photo. @default 48 */
  profilePhotoSize?: 48 | 64 | 96 | 120 | 240 | 360 | 432 | 504 | 648 | false | undefined
  /** GUIDs of the tenants whose users can sign in. @default all tenants that the issuer accepts */
  tenants?: readonly string[] | undefined
}

type TenantRules = Required<Pick<OIDCConfig, "conformMetadata" | "issuerOf">>

const ANY_TENANT = "https://login.microsoftonline.com/common/v2.0"
/** The GUID of the tenant of all personal accounts. */
const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad"
const PLACEHOLDER = "{tenantid}"
const PHOTO_TIMEOUT_MS = 2_000

const V2_ISSUER = /^(https?:\/\/[^/]+)\/([^/]+)\/v2\.0\/?$/
const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Splits an issuer of version 2.0 into the origin and the tenant: "common", a GUID or a domain. Undefined for others.
 */
function parseIssuer(issuer: unknown): { origin: string; tenant: string } | undefined {
  const [, origin, tenant] = V2_ISSUER.exec(String(issuer)) ?? []
  return origin && tenant ? { origin, tenant: tenant.toLowerCase() } : undefined
}

const isMultiTenant = (tenant: string): boolean => tenant === "common" || tenant === "organizations"

/**
 * Returns the GUID of the tenant "consumers", or the tenant itself if it is a GUID. Undefined for other tenants: the
 * GUID of a domain is only in its metadata.
 */
function findGuid(tenant: string): string | undefined {
  if (tenant === "consumers") return CONSUMERS
  return GUID.test(tenant) ? tenant : undefined
}

/**
 * Returns functions that accept only tokens of the allowed tenants, or of all tenants of the configured issuer if
 * `allowed` is undefined.
 */
function tenantRules(allowed: readonly string[] | undefined): TenantRules {
  const allowedGuids = allowed?.map((tenant) => tenant.toLowerCase())
  const isAllowed = (tenant: string) => !allowedGuids || allowedGuids.includes(tenant)
  // The GUIDs of tenants that are configured by a domain. The map has at most one entry per configured issuer.
  const domainGuids = new Map<string, string>()

  return {
    /**
     * Replaces the metadata's issuer, which contains a placeholder or the tenant's GUID, with the configured issuer. If
     * the tenants differ, the metadata is unchanged.
     */
    conformMetadata(metadata, issuer) {
      const configuredIssuer = parseIssuer(issuer.href)
      const metadataIssuer = parseIssuer(metadata["issuer"])
      if (!configuredIssuer || configuredIssuer.origin !== metadataIssuer?.origin) return metadata
      if (metadataIssuer.tenant !== PLACEHOLDER) {
        const guid = findGuid(configuredIssuer.tenant) ?? metadataIssuer.tenant
        if (
          isMultiTenant(configuredIssuer.tenant) ||
          !GUID.test(metadataIssuer.tenant) ||
          metadataIssuer.tenant !== guid
        )
          return metadata
        domainGuids.set(configuredIssuer.tenant, guid)
      }
      return { ...metadata, issuer: issuer.href }
    },

    /**
     * Returns the issuer that a token with this `tid` must have, because one configured issuer can cover many tenants.
     * Undefined if the tenant is not accepted.
     */
    issuerOf({ tid }, issuer) {
      const configuredIssuer = parseIssuer(issuer)
      const claimedTenant = typeof tid === "string" && GUID.test(tid) ? tid.toLowerCase() : undefined
      // If the issuer is not of version 2.0, tokens contain the configured issuer unchanged.
      if (!configuredIssuer) return allowedGuids && !isAllowed(claimedTenant ?? "") ? undefined : issuer
      const tenant = isMultiTenant(configuredIssuer.tenant)
        ? claimedTenant
        : (findGuid(configuredIssuer.tenant) ?? domainGuids.get(configuredIssuer.tenant))
      if (!tenant || !isAllowed(tenant) || (tid !== undefined && claimedTenant !== tenant)) return undefined
      if (configuredIssuer.tenant === "organizations" && tenant === CONSUMERS) return undefined
      return `${configuredIssuer.origin}/${tenant}/v2.0`
    },
  }
}

/** @see https://learn.microsoft.com/en-us/graph/api/profilephoto-get */
async function fetchPhoto(pixels: number, tokens: TokenSet, fetch: typeof globalThis.fetch, signal: AbortSignal) {
  const url = `https://graph.microsoft.com/v1.0/me/photos/${pixels}x${pixels}/$value`
  const response = await fetch(url, { headers: { authorization: `Bearer ${tokens.access_token}` }, signal })
  if (!response.ok) return null
  return `data:image/jpeg;base64,${Buffer.from(await response.arrayBuffer()).toString("base64")}`
}

/** Returns the photo, or null if it is missing or slow. A missing photo never fails a sign-in. */
function readPhoto(pixels: number | false, tokens: TokenSet, fetch = globalThis.fetch): Promise<string | null> {
  if (!pixels || !tokens.access_token) return Promise.resolve(null)
  const signal = AbortSignal.timeout(PHOTO_TIMEOUT_MS)
  return raceWith(fetchPhoto(pixels, tokens, fetch, signal), signal).catch(() => null)
}

/**
 * Sign-in with Microsoft: work, school and personal accounts.
 * Environment: also `AUTH_MICROSOFT_ENTRA_ID_ISSUER`.
 * Console: https://entra.microsoft.com, App registrations, platform Web; use the value of the secret, not its ID
 * - The tenant in the issuer, `https://login.microsoftonline.com/<tenant>/v2.0`, decides which users can sign in.
 *   `common` (the default) accepts every organisation and every personal account. `organizations` accepts every
 *   organisation. `consumers` accepts personal accounts. A GUID or a domain such as `contoso.onmicrosoft.com` accepts
 *   only that organisation.
 * - The option `tenants`, a list of GUIDs, restricts sign-in to these tenants.
 * - A tenant's administrators can set any email address, so the address never links an account. Do not use the address
 *   for authorization unless you accept only tenants that you trust. To link accounts by address, for example if the
 *   claim `xms_edov` is true, set `isEmailVerified`.
 * - The account id is `sub`, which differs between applications. `profile.oid` together with `profile.tid` identifies a
 *   user across applications.
 * - The image is the profile photo as a data URL, 48 pixels wide, or `null` if it does not arrive within two seconds.
 *   `profilePhotoSize` can be 48, 64, 96, 120, 240, 360, 432, 504 or 648, or `false` for no photo. Large photos do not
 *   fit into an encrypted-cookie session.
 * - To get a refresh token, add the scope `offline_access`.
 * - The photo is read from `graph.microsoft.com`. For national clouds, set `profilePhotoSize: false`.
 * @example
 * import MicrosoftEntraID from "latchkey/providers/microsoft-entra-id"
 * const issuer = process.env.AUTH_MICROSOFT_ENTRA_ID_ISSUER
 * app.use(authMiddleware({ providers: [MicrosoftEntraID({ issuer })] }))
 */
export default function MicrosoftEntraID(options: EntraOptions = {}): OIDCConfig<MicrosoftEntraIDProfile> {
  const { profilePhotoSize = 48, tenants } = options
  return oidcProvider<MicrosoftEntraIDProfile>("microsoft-entra-id", "Microsoft Entra ID", {
    // The variable is read here, because the core reads it only if the definition has no issuer. The default issuer
    // accepts every tenant.
    issuer: providerVariable("microsoft-entra-id", "ISSUER", options) || ANY_TENANT,
    authorization: { params: { scope: "openid profile email User.Read" } },
    ...tenantRules(tenants),
    // The administrators of any tenant can set the claim `email_verified`, so this claim is not trusted.
    verifiesEmail: "never",
    async profile({ sub, name, email }, tokens: TokenSet, context?: ProviderContext) {
      if (!sub) throw new TypeError("Microsoft Entra ID: the profile has no sub")
      const image = await readPhoto(profilePhotoSize, tokens, context?.fetch)
      return { id: sub, name: name ?? null, email: email ?? null, image }
    },
    // Microsoft returns scopes of Graph with or without this prefix, and in upper or lower case.
    canonicalScope: (scope) => scope.toLowerCase().replace(/^https:\/\/graph\.microsoft\.com\//, ""),
    apiOrigins: ["https://graph.microsoft.com"],
    brandColor: "#0072c6",
    // https://learn.microsoft.com/en-us/entra/identity-platform/howto-add-branding-in-apps
    buttonLabel: "sign-in",
  })(options)
}

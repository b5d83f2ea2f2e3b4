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
  /** For display only: the user can change it, and it is not verified. */
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
  /** The width in pixels of the square photo used as the user's image; `false` requests none. @default 48 */
  profilePhotoSize?: 48 | 64 | 96 | 120 | 240 | 360 | 432 | 504 | 648 | false | undefined
  /** GUIDs of the tenants whose users can sign in. @default all tenants that the issuer accepts */
  tenants?: readonly string[] | undefined
}

type TenantRules = Required<Pick<OIDCConfig, "conformMetadata" | "issuerOf">>

const ANY_TENANT = "https://login.microsoftonline.com/common/v2.0"
/** The tenant of personal accounts, a constant. */
const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad"
const PLACEHOLDER = "{tenantid}"
const PHOTO_TIMEOUT_MS = 2_000

const V2_ISSUER = /^(https?:\/\/[^/]+)\/([^/]+)\/v2\.0\/?$/
const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** An issuer of version 2.0 consists of an origin and a tenant: "common", a GUID, a domain. */
function parseIssuer(issuer: unknown): { origin: string; tenant: string } | undefined {
  const [, origin, tenant] = V2_ISSUER.exec(String(issuer)) ?? []
  return origin && tenant ? { origin, tenant: tenant.toLowerCase() } : undefined
}

const isShared = (tenant: string): boolean => tenant === "common" || tenant === "organizations"

/** The GUID of a well-known tenant name. The GUID of a domain is only known from its metadata. */
function findGuid(tenant: string): string | undefined {
  if (tenant === "consumers") return CONSUMERS
  return GUID.test(tenant) ? tenant : undefined
}

/** The tenants whose tokens are accepted for the configured issuer. */
function tenantRules(allowed: readonly string[] | undefined): TenantRules {
  const allowedGuids = allowed?.map((tenant) => tenant.toLowerCase())
  const isAllowed = (tenant: string) => !allowedGuids || allowedGuids.includes(tenant)
  // The GUIDs of tenants that are configured by a domain. It has at most one entry per configured issuer.
  const domainGuids = new Map<string, string>()

  return {
    /** Microsoft's metadata states another issuer than the configured one: a placeholder, or the tenant's GUID. */
    conformMetadata(metadata, issuer) {
      const configured = parseIssuer(issuer.href)
      const named = parseIssuer(metadata["issuer"])
      if (!configured || configured.origin !== named?.origin) return metadata
      if (named.tenant !== PLACEHOLDER) {
        const guid = findGuid(configured.tenant) ?? named.tenant
        if (isShared(configured.tenant) || !GUID.test(named.tenant) || named.tenant !== guid) return metadata
        domainGuids.set(configured.tenant, guid)
      }
      return { ...metadata, issuer: issuer.href }
    },

    /** One configured issuer covers many tenants. The issuer of each token must match its `tid`. */
    issuerOf({ tid }, issuer) {
      const configured = parseIssuer(issuer)
      const claimed = typeof tid === "string" && GUID.test(tid) ? tid.toLowerCase() : undefined
      // Not version 2.0: tokens contain the issuer unchanged.
      if (!configured) return allowedGuids && !isAllowed(claimed ?? "") ? undefined : issuer
      const tenant = isShared(configured.tenant)
        ? claimed
        : (findGuid(configured.tenant) ?? domainGuids.get(configured.tenant))
      if (!tenant || !isAllowed(tenant) || (tid !== undefined && claimed !== tenant)) return undefined
      if (configured.tenant === "organizations" && tenant === CONSUMERS) return undefined
      return `${configured.origin}/${tenant}/v2.0`
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

/** The photo, or null if it is missing or slow. Sign-in never fails because of it. */
function readPhoto(pixels: number | false, tokens: TokenSet, fetch = globalThis.fetch): Promise<string | null> {
  if (!pixels || !tokens.access_token) return Promise.resolve(null)
  const signal = AbortSignal.timeout(PHOTO_TIMEOUT_MS)
  return raceWith(fetchPhoto(pixels, tokens, fetch, signal), signal).catch(() => null)
}

/**
 * Sign-in with Microsoft: work, school and personal accounts.
 * Environment: also `AUTH_MICROSOFT_ENTRA_ID_ISSUER`.
 * Console: https://entra.microsoft.com, App registrations, platform Web; the secret is its value, not its ID
 * - The tenant in the issuer, `https://login.microsoftonline.com/<tenant>/v2.0`, decides which users can sign in.
 *   `common` (the default) accepts every organisation and every personal account, `organizations` every organisation,
 *   `consumers` personal accounts, and a GUID or a domain such as `contoso.onmicrosoft.com` that organisation.
 * - `tenants`, a list of GUIDs, restricts sign-in to these tenants.
 * - A tenant's administrators can set any email address, so the address never links an account. Do not use the address
 *   for authorization unless you accept only tenants that you trust. To link accounts by address, for example if the
 *   claim `xms_edov` is true, set `isEmailVerified`.
 * - `id` is `sub`, which differs between applications. `profile.oid` with `profile.tid` identifies a user across
 *   applications.
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
    // Read here because a default would hide the environment variable and accept every tenant.
    issuer: providerVariable("microsoft-entra-id", "ISSUER", options) || ANY_TENANT,
    authorization: { params: { scope: "openid profile email User.Read" } },
    ...tenantRules(tenants),
    // An administrator of any tenant can map a claim `email_verified`, so it is not trusted.
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

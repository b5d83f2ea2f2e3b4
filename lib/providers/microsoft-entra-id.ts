import { raceWith } from "../security/outbound.js"
import type { TokenSet } from "../types.js"
import type { OIDCConfig, OIDCUserConfig, ProviderContext } from "./provider.js"
import { variableOf } from "./vendor.js"

/**
 * The claims of Microsoft's id_token, version 2.0.
 * @see https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference
 */
export interface MicrosoftEntraIDProfile {
  iss: string
  /** Differs from application to application; `oid` with `tid` names a person across them. */
  sub: string
  aud: string
  iat: number
  exp: number
  nbf: number
  ver: "2.0"
  nonce?: string
  /** The tenant, a GUID. */
  tid: string
  oid: string
  name: string
  /** For showing: a person can change it, and nobody proved it. */
  preferred_username: string
  given_name?: string
  family_name?: string
  /** Set by the tenant's administrators, and not proven: see `xms_edov`. */
  email: string
  /** An optional claim: was the address's domain proven by the tenant? */
  xms_edov?: boolean | 0 | 1 | "0" | "1" | "true" | "false"
  roles?: string[]
  groups?: string[]
  // biome-ignore lint/suspicious/noExplicitAny: a tenant chooses optional claims, as in the contract
  [claim: string]: any
}

/** What the factory takes. */
export type EntraOptions = OIDCUserConfig<MicrosoftEntraIDProfile> & {
  /** Pixels of the square photo that becomes the user's image; `false` asks for none. @default 48 */
  profilePhotoSize?: 48 | 64 | 96 | 120 | 240 | 360 | 432 | 504 | 648 | false | undefined
  /** GUIDs of the tenants whose people may sign in. @default whoever the issuer lets in */
  tenants?: readonly string[] | undefined
}

type TenantRules = Required<Pick<OIDCConfig, "conformMetadata" | "issuerOf">>

const ANY_TENANT = "https://login.microsoftonline.com/common/v2.0"
/** The tenant of personal accounts, the same everywhere. */
const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad"
const PLACEHOLDER = "{tenantid}"
const PHOTO_TIMEOUT_MS = 2_000

const V2_ISSUER = /^(https?:\/\/[^/]+)\/([^/]+)\/v2\.0\/?$/
const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** An issuer of version 2.0 is an origin and the name of a tenant: "common", a GUID, a domain. */
function parseIssuer(issuer: unknown): { origin: string; tenant: string } | undefined {
  const [, origin, tenant] = V2_ISSUER.exec(String(issuer)) ?? []
  return origin && tenant ? { origin, tenant: tenant.toLowerCase() } : undefined
}

const isShared = (tenant: string): boolean => tenant === "common" || tenant === "organizations"

/** The GUID that a name stands for by itself; a domain's is only learnt from its metadata. */
function guidOf(tenant: string): string | undefined {
  if (tenant === "consumers") return CONSUMERS
  return GUID.test(tenant) ? tenant : undefined
}

/** Which tenants' tokens are taken, for the issuer that is configured. */
function tenantRules(allowed: readonly string[] | undefined): TenantRules {
  const allowedGuids = allowed?.map((tenant) => tenant.toLowerCase())
  const isAllowed = (tenant: string) => !allowedGuids || allowedGuids.includes(tenant)
  // One entry at most for each issuer this provider is configured with.
  const learnt = new Map<string, string>()

  return {
    /** Microsoft answers under another name than it was asked by: a placeholder, or the tenant's GUID. */
    conformMetadata(metadata, issuer) {
      const asked = parseIssuer(issuer.href)
      const named = parseIssuer(metadata["issuer"])
      if (!asked || asked.origin !== named?.origin) return metadata
      if (named.tenant !== PLACEHOLDER) {
        const guid = guidOf(asked.tenant) ?? named.tenant
        if (isShared(asked.tenant) || !GUID.test(named.tenant) || named.tenant !== guid) return metadata
        learnt.set(asked.tenant, guid)
      }
      return { ...metadata, issuer: issuer.href }
    },

    /** One configured issuer, and as many in the tokens as there are tenants: each must match its own `tid`. */
    issuerOf({ tid }, issuer) {
      const configured = parseIssuer(issuer)
      const claimed = typeof tid === "string" && GUID.test(tid) ? tid.toLowerCase() : undefined
      // Not of version 2.0: it stands in the tokens as it is.
      if (!configured) return allowedGuids && !isAllowed(claimed ?? "") ? undefined : issuer
      const tenant = isShared(configured.tenant)
        ? claimed
        : (guidOf(configured.tenant) ?? learnt.get(configured.tenant))
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

/** The photo, if it is there and quick: a sign-in neither fails nor waits for it. */
function photoOf(pixels: number | false, tokens: TokenSet, fetch = globalThis.fetch): Promise<string | null> {
  if (!pixels || !tokens.access_token) return Promise.resolve(null)
  const signal = AbortSignal.timeout(PHOTO_TIMEOUT_MS)
  return raceWith(fetchPhoto(pixels, tokens, fetch, signal), signal).catch(() => null)
}

/**
 * Sign-in with Microsoft: work, school and personal accounts.
 *
 * Environment: `AUTH_MICROSOFT_ENTRA_ID_ID`, `AUTH_MICROSOFT_ENTRA_ID_SECRET`, `AUTH_MICROSOFT_ENTRA_ID_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/microsoft-entra-id`.
 * Console: https://entra.microsoft.com, App registrations, platform Web; the secret is its value, not its ID
 *
 * - Who may sign in is the issuer's tenant, `https://login.microsoftonline.com/<tenant>/v2.0`: `common`, when nothing is
 *   set, lets in every organisation and every personal account; `organizations` every organisation; `consumers` personal
 *   accounts; a GUID or a domain such as `contoso.onmicrosoft.com` that organisation.
 * - With `tenants`, a list of GUIDs, only people of these. A token is taken only from the tenant that it names itself.
 * - The e-mail address is what a tenant's administrators entered. Microsoft does not say that anybody proved it, so it
 *   never links an account, whatever claims are mapped. Do not let it decide what people may see, unless you let in only
 *   tenants that you trust. Whoever lets it link all the same, by `xms_edov` for instance, says so with an
 *   `isEmailVerified`.
 * - `id` is `sub`, which differs between applications; `profile.oid` with `profile.tid` names a person across them.
 * - The image is the profile's photo as a data URL, 48 pixels wide: `profilePhotoSize` takes 48, 64, 96, 120, 240, 360,
 *   432, 504 or 648, and `false` for none. Large ones do not fit into an encrypted-cookie session. A photo that is
 *   missing, or not there within two seconds, is `null`.
 * - The photo is read from `graph.microsoft.com`: set `profilePhotoSize: false` with the issuers of national clouds.
 *
 * @example
 * import MicrosoftEntraID from "latchkey/providers/microsoft-entra-id"
 * const issuer = process.env.AUTH_MICROSOFT_ENTRA_ID_ISSUER
 * app.use(authMiddleware({ providers: [MicrosoftEntraID({ issuer })] }))
 */
export default function MicrosoftEntraID(options: EntraOptions = {}): OIDCConfig<MicrosoftEntraIDProfile> {
  const { profilePhotoSize = 48, tenants } = options
  return {
    id: "microsoft-entra-id",
    name: "Microsoft Entra ID",
    type: "oidc",
    // Read here, as the contract has it: a default would hide the variable, and let every tenant in.
    issuer: variableOf("microsoft-entra-id", "ISSUER", options) || ANY_TENANT,
    authorization: { params: { scope: "openid profile email User.Read" } },
    ...tenantRules(tenants),
    // A claim of that name is one that an administrator mapped, perhaps in another tenant.
    provesEmail: "never",
    async profile({ sub, name, email }, tokens: TokenSet, context?: ProviderContext) {
      if (!sub) throw new TypeError("Microsoft Entra ID: the profile has no sub")
      const image = await photoOf(profilePhotoSize, tokens, context?.fetch)
      return { id: sub, name: name ?? null, email: email ?? null, image }
    },
    style: { brandColor: "#0072c6" },
    options,
  }
}

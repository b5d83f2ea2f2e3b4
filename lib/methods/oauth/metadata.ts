import type { AuthorizationServer } from "oauth4webapi"
import { isLoopbackUrl } from "../../base/loopback.js"
import { isPlainObject } from "../../base/merge.js"
import { CodedError } from "../../errors/error-codes.js"
import type { EndpointHandler } from "../../provider-kit/provider.js"
import { usesCertificate } from "./client-auth.js"
import type { MergedOAuth } from "./endpoint.js"

interface MetadataSource {
  readonly source: MergedOAuth
  readonly token: EndpointHandler
  readonly userinfo: EndpointHandler
  readonly fetch: typeof fetch
}

const STANDARD_PATH = "/.well-known/openid-configuration"

/** Returns the URL of the discovery document (OpenID Connect Discovery §4). */
const discoveryUrl = ({ wellKnown, issuer = "" }: MergedOAuth): string =>
  wellKnown ?? issuer.replace(/\/$/, "") + STANDARD_PATH

const normalizeUrl = (text: unknown): string | undefined =>
  typeof text === "string" && URL.canParse(text) ? new URL(text).href : undefined

/** The endpoints that this package requests itself, without the browser. */
const FETCHED_ENDPOINTS = [
  "token_endpoint",
  "userinfo_endpoint",
  "jwks_uri",
  "pushed_authorization_request_endpoint",
  "revocation_endpoint",
] as const

/**
 * Replaces endpoints with their mTLS aliases (RFC 8705 §5), if the client authenticates with a certificate or sets
 * `use_mtls_endpoint_aliases`.
 */
function applyMtlsAliases(
  { mtls_endpoint_aliases: aliases, ...metadata }: Record<string, unknown>,
  source: MergedOAuth,
): Record<string, unknown> {
  if (!isPlainObject(aliases) || !(usesCertificate(source) || source.client?.use_mtls_endpoint_aliases)) return metadata
  const names = FETCHED_ENDPOINTS.filter((name) => name in aliases)
  return { ...metadata, ...Object.fromEntries(names.map((name) => [name, aliases[name]])) }
}

/** Prevents SSRF: a discovery document from another host must not direct requests to services on this machine. */
function rejectLoopbackEndpoints(metadata: AuthorizationServer, source: MergedOAuth, configured: object): void {
  const url = discoveryUrl(source)
  if (source.allowInsecure || isLoopbackUrl(url)) return
  const name = FETCHED_ENDPOINTS.find((key) => !(key in configured) && isLoopbackUrl(String(metadata[key])))
  if (name === undefined) return
  const found = `the ${name} in ${url} is ${JSON.stringify(metadata[name])}, a loopback address`
  throw new CodedError("provider-url-insecure", `${found}; set allowInsecure: true to allow it`)
}

async function discover({ source, fetch }: MetadataSource): Promise<AuthorizationServer> {
  const url = discoveryUrl(source)
  const response = await fetch(url, { headers: { accept: "application/json" } })
  if (response.status !== 200)
    throw new CodedError("provider-unreachable", `${url} answered with status ${response.status}`)
  const document: unknown = await response.json().catch(() => undefined)
  if (!isPlainObject(document)) throw new Error(`${url} did not answer with a JSON object`)
  const issuer = new URL(source.issuer ?? "")
  const metadata = source.conformMetadata ? source.conformMetadata(document, issuer) : document
  // The issuers must match (Discovery §4.3). Otherwise the server at this URL could impersonate another issuer.
  if (normalizeUrl(metadata["issuer"]) !== issuer.href)
    throw new CodedError(
      "issuer-mismatch",
      `the issuer in ${url} is ${JSON.stringify(metadata["issuer"])}, but the configured issuer is "${source.issuer}"`,
    )
  // The issuer is checked above, and each endpoint is checked before its use, so the assertion is safe.
  return applyMtlsAliases(metadata, source) as unknown as AuthorizationServer
}

/**
 * True if the metadata is discovered, which needs an issuer. Plain OAuth uses discovery only to find an endpoint that
 * is not configured.
 */
export function usesDiscovery({ source, token, userinfo }: Omit<MetadataSource, "fetch">): boolean {
  if (!source.issuer) return false
  if (source.type === "oidc" || source.pushedAuthorizationRequests === true) return true
  return !(source.authorization?.url && (token.url || token.request) && (userinfo.url || userinfo.request))
}

/**
 * Returns a function that loads the provider's metadata, by discovery or from the configured endpoints alone.
 * Configured endpoints override discovered endpoints.
 */
export function createMetadataLoader(provider: MetadataSource): () => Promise<AuthorizationServer> {
  const { source, token, userinfo } = provider
  const configured = {
    ...(source.authorization?.url && { authorization_endpoint: source.authorization.url }),
    ...(token.url && { token_endpoint: token.url }),
    ...(userinfo.url && { userinfo_endpoint: userinfo.url }),
    ...(typeof source.pushedAuthorizationRequests === "string" && {
      pushed_authorization_request_endpoint: source.pushedAuthorizationRequests,
    }),
    ...(source.revocation && { revocation_endpoint: source.revocation }),
    ...("jwks_endpoint" in source && typeof source.jwks_endpoint === "string" && { jwks_uri: source.jwks_endpoint }),
  }
  if (!usesDiscovery(provider)) {
    const metadata = { issuer: source.issuer ?? configured.authorization_endpoint ?? "", ...configured }
    return async () => metadata
  }
  return async () => {
    const discovered = await discover(provider)
    rejectLoopbackEndpoints(discovered, source, configured)
    return { ...discovered, ...configured }
  }
}

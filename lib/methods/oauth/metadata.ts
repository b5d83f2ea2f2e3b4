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

/** The URL of the discovery document (OpenID Connect Discovery §4). */
const discoveryUrl = ({ wellKnown, issuer = "" }: MergedOAuth): string =>
  wellKnown ?? issuer.replace(/\/$/, "") + STANDARD_PATH

const normalizeUrl = (text: unknown): string | undefined =>
  typeof text === "string" && URL.canParse(text) ? new URL(text).href : undefined

/** The endpoints that this server calls itself. */
const FETCHED_ENDPOINTS = [
  "token_endpoint",
  "userinfo_endpoint",
  "jwks_uri",
  "pushed_authorization_request_endpoint",
  "revocation_endpoint",
] as const

/** RFC 8705 §5: a client with a certificate calls the aliases of the endpoints, if there are any. */
function withAliases(
  { mtls_endpoint_aliases: aliases, ...metadata }: Record<string, unknown>,
  source: MergedOAuth,
): Record<string, unknown> {
  if (!isPlainObject(aliases) || !(usesCertificate(source) || source.client?.use_mtls_endpoint_aliases)) return metadata
  const names = FETCHED_ENDPOINTS.filter((name) => name in aliases)
  return { ...metadata, ...Object.fromEntries(names.map((name) => [name, aliases[name]])) }
}

/** SSRF: a discovery document from another machine must not direct requests to local services. */
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
  // Discovery §4.3: otherwise the server at this URL could claim to be another issuer.
  if (normalizeUrl(metadata["issuer"]) !== issuer.href)
    throw new CodedError(
      "issuer-mismatch",
      `the issuer in ${url} is ${JSON.stringify(metadata["issuer"])}, but the configured issuer is "${source.issuer}"`,
    )
  // The issuer is checked above. Each endpoint is checked where it is used.
  return withAliases(metadata, source) as unknown as AuthorizationServer
}

/** False if the provider's options contain every endpoint, or no issuer. */
export function usesDiscovery({ source, token, userinfo }: Omit<MetadataSource, "fetch">): boolean {
  if (!source.issuer) return false
  if (source.type === "oidc" || source.pushedAuthorizationRequests === true) return true
  return !(source.authorization?.url && (token.url || token.request) && (userinfo.url || userinfo.request))
}

/**
 * Returns a function that loads the server's metadata. It uses discovery if the provider's options omit an endpoint.
 * Configured endpoints override discovered ones.
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
    const fixed = { issuer: source.issuer ?? configured.authorization_endpoint ?? "", ...configured }
    return async () => fixed
  }
  return async () => {
    const discovered = await discover(provider)
    rejectLoopbackEndpoints(discovered, source, configured)
    return { ...discovered, ...configured }
  }
}

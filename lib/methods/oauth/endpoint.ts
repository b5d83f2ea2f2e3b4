import type { AuthorizationServer } from "oauth4webapi"
import { isLoopbackUrl } from "../../base/loopback.js"
import { isPlainObject, merge } from "../../base/merge.js"
import type { EndpointHandler, OAuthConfig, ProviderObject } from "../../provider-kit/provider.js"
import { readCustomFetch } from "../../symbols.js"

/** True for a provider with OAuth or OpenID Connect. */
export const isOAuth = (provider: ProviderObject): provider is OAuthConfig =>
  provider.type === "oauth" || provider.type === "oidc"

export type EndpointName = "authorization" | "token" | "userinfo"

/**
 * Parses the option of an endpoint, which is a URL or an object. Returns undefined for any other value. The query is
 * separated from the URL, so that single parameters can be overridden.
 */
function parseEndpoint(value: unknown): EndpointHandler | undefined {
  if (value instanceof URL) return parseEndpoint(value.href)
  if (typeof value === "string") return splitQuery(value)
  if (!isPlainObject(value)) return undefined
  const { url, params, ...rest } = value
  const split = url === undefined || url === null ? {} : splitQuery(String(url))
  return { ...rest, ...split, params: { ...split.params, ...(isPlainObject(params) ? params : {}) } }
}

/** True for a URL that Auth.js writes into its providers as a placeholder for "no endpoint". */
const isPlaceholder = (url: string) => URL.canParse(url) && new URL(url).hostname === "authjs.dev"

function splitQuery(text: string): EndpointHandler {
  const [url = "", ...query] = text.split("?")
  const params = Object.fromEntries(new URLSearchParams(query.join("?")))
  return isPlaceholder(url) ? { params } : { url, params }
}

/** Merges an endpoint of the provider's definition with the application's options, which take precedence. */
function mergeEndpoint(definition: unknown, options: unknown): EndpointHandler | undefined {
  const [base, override] = [parseEndpoint(definition), parseEndpoint(options)]
  if (!base || !override) return override ?? base
  return merge({ ...base }, { ...override })
}

/** A provider whose definition and options are merged, and whose endpoints are parsed. */
export type MergedOAuth = Omit<OAuthConfig, "authorization" | "token" | "userinfo"> &
  Partial<Record<EndpointName, EndpointHandler>>

/** Returns a new object with the provider's definition and the application's options, which take precedence. */
export function mergeProvider(provider: OAuthConfig): MergedOAuth {
  const { options = {}, ...base } = provider
  const overrides: Record<string, unknown> = { ...options }
  const endpoints: Partial<Record<EndpointName, EndpointHandler>> = {}
  for (const name of ["authorization", "token", "userinfo"] as const) {
    const endpoint = mergeEndpoint(base[name], overrides[name])
    if (endpoint) endpoints[name] = endpoint
    delete overrides[name]
  }
  const { authorization: _a, token: _t, userinfo: _u, ...rest } = base
  // Both objects have members of a provider, and merging keeps their types, so the assertion is safe.
  return { ...(merge({ ...rest }, overrides) as MergedOAuth), ...endpoints }
}

/** Returns the application's own `fetch` from the unmerged provider, because merging does not copy symbol keys. */
export const findCustomFetch = (provider: OAuthConfig): typeof fetch | undefined =>
  readCustomFetch(provider.options ?? {}) ?? readCustomFetch(provider)

/** True if sign-out also signs the user out at the provider. */
export const isLogoutEnabled = (provider: MergedOAuth): boolean => Boolean(Reflect.get(provider, "logout"))

/** Returns the URL in the option `logout`; undefined if the option is a boolean or not set. */
export function readEndSessionUrl(provider: MergedOAuth): string | undefined {
  const logout: unknown = Reflect.get(provider, "logout")
  return typeof logout === "string" ? logout : undefined
}

/** True if authorization requests are pushed (RFC 9126), because the option or the metadata requires it. */
export const pushesRequests = (as: AuthorizationServer, { pushedAuthorizationRequests }: MergedOAuth): boolean =>
  Boolean(pushedAuthorizationRequests) || as.require_pushed_authorization_requests === true

/** Converts parameters to strings. Null and undefined are left out, and objects (`claims`) are written as JSON. */
export function toParams(params: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const entries = Object.entries(params).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)]),
  )
}

/** True if secrets may be sent to the URL, because it is https or has a loopback host. */
export const isSecureUrl = (text: string): boolean =>
  isLoopbackUrl(text) || (URL.canParse(text) && new URL(text).protocol === "https:")

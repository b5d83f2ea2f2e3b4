import { isPlainObject, merge } from "../../merge.js"
import type { EndpointHandler, OAuthConfig } from "../../providers/provider.js"
import { isOnThisMachine } from "../../security/this-machine.js"

export type EndpointName = "authorization" | "token" | "userinfo"

/** An address with its query apart, so that defaults and options merge parameter by parameter. */
function endpointOf(value: unknown): EndpointHandler | undefined {
  if (value instanceof URL) return endpointOf(value.href)
  if (typeof value === "string") return splitQuery(value)
  if (!isPlainObject(value)) return undefined
  const { url, params, ...rest } = value
  const split = url === undefined || url === null ? {} : splitQuery(String(url))
  return { ...rest, ...split, params: { ...split.params, ...(isPlainObject(params) ? params : {}) } }
}

/** Providers of Auth.js write an address at this host where they mean "none". */
const isPlaceholder = (url: string) => URL.canParse(url) && new URL(url).hostname === "authjs.dev"

function splitQuery(text: string): EndpointHandler {
  const [url = "", ...query] = text.split("?")
  const params = Object.fromEntries(new URLSearchParams(query.join("?")))
  return isPlaceholder(url) ? { params } : { url, params }
}

/** An endpoint from a provider's own definition and what the application gave over it. */
function mergeEndpoint(base: unknown, over: unknown): EndpointHandler | undefined {
  const [under, upper] = [endpointOf(base), endpointOf(over)]
  if (!under || !upper) return upper ?? under
  return merge({ ...under }, { ...upper })
}

export type MergedOAuth = Omit<OAuthConfig, "authorization" | "token" | "userinfo"> &
  Partial<Record<EndpointName, EndpointHandler>>

/** A provider with the application's options over its own, as a new object. */
export function mergeProvider(provider: OAuthConfig): MergedOAuth {
  const { options = {}, ...base } = provider
  const over: Record<string, unknown> = { ...options }
  const endpoints: Partial<Record<EndpointName, EndpointHandler>> = {}
  for (const name of ["authorization", "token", "userinfo"] as const) {
    const endpoint = mergeEndpoint(base[name], over[name])
    if (endpoint) endpoints[name] = endpoint
    delete over[name]
  }
  const { authorization: _a, token: _t, userinfo: _u, ...rest } = base
  // The members of both are a provider's; merging keeps their types.
  return { ...(merge({ ...rest }, over) as MergedOAuth), ...endpoints }
}

/** Parameters as text: what is undefined is left out, objects (`claims`) are written as JSON. */
export function toParams(params: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const entries = Object.entries(params).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)]),
  )
}

/** Is the address safe to send secrets to: https, or this machine? */
export const isSecureUrl = (text: string): boolean =>
  isOnThisMachine(text) || (URL.canParse(text) && new URL(text).protocol === "https:")

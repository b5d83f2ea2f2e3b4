import { NO_CACHE } from "../http/response.js"
import type { NodeResponse } from "./node.js"

/** The headers that override `Cache-Control` in Fastly, Akamai and nginx. */
const VENDOR_HEADERS = new Set(["surrogate-control", "edge-control", "x-accel-expires"])

/**
 * True for `Cache-Control`, `CDN-Cache-Control` (RFC 9213), vendor-specific forms such as
 * `Cloudflare-CDN-Cache-Control`, and `VENDOR_HEADERS`.
 */
function isCacheHeader(name: unknown): boolean {
  const lower = String(name).toLowerCase()
  return lower.endsWith("cache-control") || VENDOR_HEADERS.has(lower)
}

const isPair = (entry: unknown): entry is readonly unknown[] => Array.isArray(entry)

/**
 * Returns a parameter of `writeHead` without caching headers. Headers can be an object, a list of pairs, or a list in
 * which names and values alternate. Other parameters are returned unchanged.
 */
function withoutCacheHeaders(headers: unknown): unknown {
  if (typeof headers !== "object" || headers === null) return headers
  if (!Array.isArray(headers))
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !isCacheHeader(name)))
  return headers.every(isPair)
    ? headers.filter(([name]) => !isCacheHeader(name))
    : headers.filter((_, index) => !isCacheHeader(headers[index - (index % 2)]))
}

/** The responses that `keepPrivate` has changed. An additional property would make each access to a response slower. */
const privateResponses = new WeakSet<NodeResponse>()

/**
 * Forbids caches to store a response: sets `Cache-Control: private, no-store`, and ignores all caching headers that
 * other code sets later.
 *
 * This function replaces methods of the response instead of using `on-headers`. The listeners of `on-headers` run in
 * reverse order, so a listener that the application has added before could still set the headers.
 */
export function keepPrivate(res: NodeResponse): void {
  if (res.headersSent || privateResponses.has(res)) return
  privateResponses.add(res)
  for (const name of res.getHeaderNames().filter(isCacheHeader)) res.removeHeader(name)
  res.setHeader("Cache-Control", NO_CACHE["Cache-Control"])
  const { setHeader, appendHeader, removeHeader, writeHead } = res
  const ignoreCacheHeaders =
    (method: (...parameters: never[]) => unknown) =>
    (...parameters: unknown[]) =>
      isCacheHeader(parameters[0]) ? res : Reflect.apply(method, res, parameters)
  Object.assign(res, {
    setHeader: ignoreCacheHeaders(setHeader),
    appendHeader: ignoreCacheHeaders(appendHeader),
    removeHeader: ignoreCacheHeaders(removeHeader),
    writeHead: (...parameters: unknown[]) => Reflect.apply(writeHead, res, parameters.map(withoutCacheHeaders)),
  })
}

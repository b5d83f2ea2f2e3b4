import { NO_CACHE } from "../http/response.js"
import type { NodeResponse } from "./node.js"

/** Vendor-specific headers that override `Cache-Control`: of Fastly, Akamai and nginx. */
const VENDOR_HEADERS = new Set(["surrogate-control", "edge-control", "x-accel-expires"])

/** True for `Cache-Control`, `CDN-Cache-Control` (RFC 9213), its vendor-specific forms, and `VENDOR_HEADERS`. */
function isCacheHeader(name: unknown): boolean {
  const lower = String(name).toLowerCase()
  return lower.endsWith("cache-control") || VENDOR_HEADERS.has(lower)
}

const isPair = (entry: unknown): entry is readonly unknown[] => Array.isArray(entry)

/**
 * Removes caching headers from a parameter of `writeHead`: an object, a list of pairs, or a list of names and values.
 */
function withoutCacheHeaders(headers: unknown): unknown {
  if (typeof headers !== "object" || headers === null) return headers
  if (!Array.isArray(headers))
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !isCacheHeader(name)))
  return headers.every(isPair)
    ? headers.filter(([name]) => !isCacheHeader(name))
    : headers.filter((_, index) => !isCacheHeader(headers[index - (index % 2)]))
}

/** A set, because a further property would make each access to the response slower. */
const privateResponses = new WeakSet<NodeResponse>()

/**
 * Makes a response `private, no-store`, and ignores all caching headers that other code sets later.
 *
 * It replaces methods of the response instead of using `on-headers`, because listeners of `on-headers` run in reverse
 * order: a listener that was added earlier would run later, and could set the headers again.
 */
export function keepPrivate(res: NodeResponse): void {
  if (res.headersSent || privateResponses.has(res)) return
  privateResponses.add(res)
  for (const name of res.getHeaderNames().filter(isCacheHeader)) res.removeHeader(name)
  res.setHeader("Cache-Control", NO_CACHE["Cache-Control"])
  const { setHeader, appendHeader, removeHeader, writeHead } = res
  const guard =
    (write: (...parameters: never[]) => unknown) =>
    (...parameters: unknown[]) =>
      isCacheHeader(parameters[0]) ? res : Reflect.apply(write, res, parameters)
  Object.assign(res, {
    setHeader: guard(setHeader),
    appendHeader: guard(appendHeader),
    removeHeader: guard(removeHeader),
    writeHead: (...parameters: unknown[]) => Reflect.apply(writeHead, res, parameters.map(withoutCacheHeaders)),
  })
}

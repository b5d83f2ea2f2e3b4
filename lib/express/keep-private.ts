import { NO_CACHE } from "../http/response.js"
import type { NodeResponse } from "./node.js"

/** Headers of single vendors that override `Cache-Control`: Fastly, Akamai and nginx. */
const VENDOR_HEADERS = new Set(["surrogate-control", "edge-control", "x-accel-expires"])

/** `Cache-Control` itself, `CDN-Cache-Control` (RFC 9213) and its forms for one vendor, and `VENDOR_HEADERS`. */
function isCacheHeader(name: unknown): boolean {
  const lower = String(name).toLowerCase()
  return lower.endsWith("cache-control") || VENDOR_HEADERS.has(lower)
}

const isPair = (entry: unknown): entry is readonly unknown[] => Array.isArray(entry)

/** Removes them from the headers that `writeHead` takes: an object, a list of pairs, or a list of names and values. */
function withoutCacheHeaders(headers: unknown): unknown {
  if (typeof headers !== "object" || headers === null) return headers
  if (!Array.isArray(headers))
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !isCacheHeader(name)))
  return headers.every(isPair)
    ? headers.filter(([name]) => !isCacheHeader(name))
    : headers.filter((_, index) => !isCacheHeader(headers[index - (index % 2)]))
}

const IS_PRIVATE = Symbol("latchkey.private")

/**
 * Makes an answer `private, no-store` for good: it ignores the caching headers that other code writes from now on.
 * Only a lock holds. A check at the time when the headers are written, as with `on-headers`, runs before the same kind
 * of check that was added earlier.
 */
export function keepPrivate(res: NodeResponse): void {
  if (res.headersSent || Reflect.has(res, IS_PRIVATE)) return
  for (const name of res.getHeaderNames().filter(isCacheHeader)) res.removeHeader(name)
  res.setHeader("Cache-Control", NO_CACHE["Cache-Control"])
  const { writeHead } = res
  Reflect.defineProperty(res, IS_PRIVATE, { value: true })
  for (const method of ["setHeader", "appendHeader", "removeHeader"] as const) {
    const write = res[method]
    Reflect.set(res, method, (...parameters: unknown[]) =>
      isCacheHeader(parameters[0]) ? res : Reflect.apply(write, res, parameters),
    )
  }
  res.writeHead = (...parameters: unknown[]) => Reflect.apply(writeHead, res, parameters.map(withoutCacheHeaders))
}

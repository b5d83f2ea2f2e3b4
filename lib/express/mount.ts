import { DEFAULT_BASE_PATH } from "../config/defaults.js"
import { trimPath } from "../http/action.js"
import type { Runtime } from "../runtime.js"
import { fullPath, type NodeRequest, pathOf } from "./node.js"

/** What a wildcard of the mount path took: a list in Express 5, text under "0" in Express 4. */
function wildcardSegments(params: unknown): string[] {
  if (typeof params !== "object" || params === null) return []
  const entries = Object.entries(params)
  if (entries.length === 0) return []
  const [, last]: readonly [string?, unknown?] =
    entries.filter(([name, value]) => Array.isArray(value) || /^\d+$/.test(name)).at(-1) ?? []
  return (Array.isArray(last) ? last : String(last ?? "").split("/")).map(String).filter(Boolean)
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The path without the segments at its end that a wildcard took. */
function withoutTail(path: string, tail: readonly string[]): string {
  const segments = path.split("/").filter(Boolean)
  const end = segments.slice(segments.length - tail.length).map(decoded)
  const isTail = tail.length > 0 && tail.length <= segments.length && tail.every((segment, i) => segment === end[i])
  return `/${(isTail ? segments.slice(0, -tail.length) : segments).join("/")}`
}

/**
 * Where the middleware hangs: `/account` of `app.use("/account", …)`, of a router or an application below it, and of
 * `/account/*splat` in every spelling. Empty at the root.
 */
export function mountPath(req: NodeRequest): string {
  const tail = wildcardSegments(req.params)
  // With `app.all("/auth/*splat", …)` nothing is cut off; with `app.use("/auth/*splat", …)` everything is.
  if (tail.length > 0) return trimPath(withoutTail(fullPath(req), tail))
  if (req.baseUrl !== undefined) return req.baseUrl && trimPath(req.baseUrl)
  const path = fullPath(req)
  const below = pathOf(req.url)
  return path.endsWith(below) ? trimPath(path.slice(0, path.length - below.length)) : ""
}

/** The path under which everything is served: as configured, else where the middleware hangs. */
export const basePathOf = (req: NodeRequest, { config }: Runtime): string =>
  config.basePath ?? (mountPath(req) || DEFAULT_BASE_PATH)

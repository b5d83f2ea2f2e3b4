import { DEFAULT_BASE_PATH } from "../config/defaults.js"
import { trimPath } from "../http/action.js"
import type { Runtime } from "../runtime/runtime.js"
import { fullPath, type NodeRequest, readPath } from "./node.js"

const withoutSlashes = (text: string): string => text.replaceAll("/", "")

/**
 * Returns the part of the path that the wildcard of the mount path matched, decoded and without slashes. Undefined if
 * there is no wildcard, or if the wildcard matched nothing. Express 5 stores the match in `req.params` as a list of
 * segments, and Express 4 as text under a number such as "0".
 */
function wildcardText(params: unknown): string | undefined {
  if (typeof params !== "object" || params === null) return undefined
  const entries = Object.entries(params)
  if (entries.length === 0) return undefined
  const lastWildcard: readonly [string, unknown] | undefined = entries
    .filter(([name, value]) => Array.isArray(value) || /^\d+$/.test(name))
    .at(-1)
  const matched = Array.isArray(lastWildcard?.[1]) ? lastWildcard[1].join("/") : String(lastWildcard?.[1] ?? "")
  return matched === "" ? undefined : withoutSlashes(matched)
}

const decodeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * Removes the part that a wildcard matched from the end of a path. `path` is percent-encoded, `tail` is decoded and has
 * no slashes. Slashes are not compared, because a decoded segment may contain some. Returns undefined if the path does
 * not end with `tail`.
 */
function withoutTail(path: string, tail: string): string | undefined {
  const segments = path.split("/").filter(Boolean)
  const decoded = segments.map((segment) => withoutSlashes(decodeSegment(segment)))
  let end = segments.length
  for (let remaining = tail.length; end > 0; end--) {
    remaining -= decoded[end - 1]?.length ?? 0
    if (remaining < 0) break
  }
  return decoded.slice(end).join("") === tail ? `/${segments.slice(0, end).join("/")}` : undefined
}

/**
 * Returns the path at which the middleware is mounted: `/account` for `app.use("/account", …)`, also inside a router or
 * an application that is mounted there, and for `/account/*splat`. Returns "" at the root.
 */
export function mountPath(req: NodeRequest): string {
  const tail = wildcardText(req.params)
  // With a wildcard, the mount path can't be derived from `req.url`: `app.all("/auth/*splat", …)` does not change it,
  // and `app.use` removes the whole path.
  const mount = tail === undefined ? undefined : withoutTail(fullPath(req), tail)
  if (mount !== undefined) return trimPath(mount)
  if (req.baseUrl !== undefined) return req.baseUrl && trimPath(req.baseUrl)
  const path = fullPath(req)
  const pathBelowMount = readPath(req.url)
  // For a request to "/account", Connect sets `req.url` to "/", although the original path does not end with a slash.
  if (pathBelowMount === "/" && !path.endsWith("/")) return path
  return path.endsWith(pathBelowMount) ? trimPath(path.slice(0, path.length - pathBelowMount.length)) : ""
}

/** Warns once if `basePath` is not within the mount path, because then no request can reach the endpoints. */
export function warnIfUnreachable(req: NodeRequest, { config, logger, warnedOnce }: Runtime): void {
  if (!req.baseUrl || config.basePath === undefined) return
  const mount = mountPath(req)
  // Express ignores the case of paths.
  if (`${config.basePath}/`.toLowerCase().startsWith(`${mount}/`.toLowerCase()) || !warnedOnce.addIfAbsent("mount"))
    return
  logger.warn(
    "mount-mismatch",
    `the middleware is mounted at ${mount}, but basePath (or the path of AUTH_URL) is ${config.basePath}, so no request can reach it. Mount it without a path, app.use(authMiddleware(config)), or make the two equal`,
  )
}

/** Returns the path of the endpoints: the configured `basePath`, or else the mount path, or else the default. */
export const resolveBasePath = (req: NodeRequest, { config }: Runtime): string =>
  config.basePath ?? (mountPath(req) || DEFAULT_BASE_PATH)

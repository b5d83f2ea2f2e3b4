import { DEFAULT_BASE_PATH } from "../config/defaults.js"
import { trimPath } from "../http/action.js"
import type { Runtime } from "../runtime/runtime.js"
import { fullPath, type NodeRequest, readPath } from "./node.js"

const withoutSlashes = (text: string): string => text.replaceAll("/", "")

/**
 * The part of the path that a wildcard of the mount path matched, decoded and without slashes. Undefined if there is no
 * wildcard, or it matched nothing. In `req.params`, Express 5 has a list of segments, and Express 4 has text under "0".
 */
function wildcardText(params: unknown): string | undefined {
  if (typeof params !== "object" || params === null) return undefined
  const entries = Object.entries(params)
  if (entries.length === 0) return undefined
  const last: readonly [string, unknown] | undefined = entries
    .filter(([name, value]) => Array.isArray(value) || /^\d+$/.test(name))
    .at(-1)
  const matched = Array.isArray(last?.[1]) ? last[1].join("/") : String(last?.[1] ?? "")
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
 * Removes the decoded tail, which a wildcard matched, from an encoded path. Undefined if the path does not end with it.
 * Slashes are ignored in the comparison, because a decoded segment may contain them.
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
 * The path that the middleware is mounted at: `/account` for `app.use("/account", …)`, for a router or an application
 * below it, and for `/account/*splat`. Empty at the root.
 */
export function mountPath(req: NodeRequest): string {
  const tail = wildcardText(req.params)
  // With a wildcard, `req.url` does not show the mount path: `app.all("/auth/*splat", …)` leaves it unchanged, and
  // `app.use` removes all of it.
  const mount = tail === undefined ? undefined : withoutTail(fullPath(req), tail)
  if (mount !== undefined) return trimPath(mount)
  if (req.baseUrl !== undefined) return req.baseUrl && trimPath(req.baseUrl)
  const path = fullPath(req)
  const pathBelowMount = readPath(req.url)
  // For a request to "/account", Connect sets `req.url` to "/", although the original path has no slash at its end.
  if (pathBelowMount === "/" && !path.endsWith("/")) return path
  return path.endsWith(pathBelowMount) ? trimPath(path.slice(0, path.length - pathBelowMount.length)) : ""
}

/** Warns once if the mount path and `basePath` differ, so that no request reaches the endpoints. */
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

/** The path of the endpoints: the configured `basePath`, or else the mount path, or else the default. */
export const resolveBasePath = (req: NodeRequest, { config }: Runtime): string =>
  config.basePath ?? (mountPath(req) || DEFAULT_BASE_PATH)

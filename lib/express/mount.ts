import { DEFAULT_BASE_PATH } from "../config/defaults.js"
import { trimPath } from "../http/action.js"
import type { Runtime } from "../runtime.js"
import { fullPath, type NodeRequest, pathOf } from "./node.js"

const withoutSlashes = (text: string): string => text.replaceAll("/", "")

/**
 * What a wildcard of the mount path took, decoded and without its slashes: of a list in Express 5, of text under "0" in
 * Express 4. Undefined where there is no wildcard, or it took nothing.
 */
function wildcardText(params: unknown): string | undefined {
  if (typeof params !== "object" || params === null) return undefined
  const entries = Object.entries(params)
  if (entries.length === 0) return undefined
  const last: readonly [string, unknown] | undefined = entries
    .filter(([name, value]) => Array.isArray(value) || /^\d+$/.test(name))
    .at(-1)
  const taken = Array.isArray(last?.[1]) ? last[1].join("/") : String(last?.[1] ?? "")
  return taken === "" ? undefined : withoutSlashes(taken)
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * The path without what a wildcard took at its end; undefined where it ends in another way. A path is as it came, what
 * wildcards take is decoded: a segment may hold slashes, or nothing else.
 */
function withoutTail(path: string, tail: string): string | undefined {
  const segments = path.split("/").filter(Boolean)
  const read = segments.map((segment) => withoutSlashes(decoded(segment)))
  let end = segments.length
  for (let left = tail.length; end > 0; end--) {
    left -= read[end - 1]?.length ?? 0
    if (left < 0) break
  }
  return read.slice(end).join("") === tail ? `/${segments.slice(0, end).join("/")}` : undefined
}

/**
 * Where the middleware hangs: `/account` of `app.use("/account", …)`, of a router or an application below it, and of
 * `/account/*splat` in every spelling. Empty at the root.
 */
export function mountPath(req: NodeRequest): string {
  const tail = wildcardText(req.params)
  // With `app.all("/auth/*splat", …)` nothing is cut off; with `app.use("/auth/*splat", …)` everything is.
  const mount = tail === undefined ? undefined : withoutTail(fullPath(req), tail)
  if (mount !== undefined) return trimPath(mount)
  if (req.baseUrl !== undefined) return req.baseUrl && trimPath(req.baseUrl)
  const path = fullPath(req)
  const below = pathOf(req.url)
  // Connect cuts "/account" down to "/", which the path does not end with.
  if (below === "/" && !path.endsWith("/")) return path
  return path.endsWith(below) ? trimPath(path.slice(0, path.length - below.length)) : ""
}

/** Says once that no request can reach what is served: a path of AUTH_URL is easily forgotten. */
export function noticeMount(req: NodeRequest, { config, logger, said }: Runtime): void {
  if (!req.baseUrl || config.basePath === undefined) return
  const mount = mountPath(req)
  // Express does not look at capitals.
  if (`${config.basePath}/`.toLowerCase().startsWith(`${mount}/`.toLowerCase()) || !said.claim("mount")) return
  logger.warn(
    "mount-mismatch",
    `the middleware hangs at ${mount} and serves ${config.basePath}, as basePath or the path of AUTH_URL says: no request gets there. Write app.use(authMiddleware(config)), without a path, or make the two equal`,
  )
}

/** The path under which everything is served: as configured, else where the middleware hangs. */
export const basePathOf = (req: NodeRequest, { config }: Runtime): string =>
  config.basePath ?? (mountPath(req) || DEFAULT_BASE_PATH)

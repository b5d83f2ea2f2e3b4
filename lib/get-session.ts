import { basePathOf } from "./express/mount.js"
import type { NodeRequest, NodeResponse } from "./express/node.js"
import { Visit, visitOf } from "./express/visit.js"
import { parseSessionCookies } from "./http/cookies.js"
import { type Runtime, requireRuntime } from "./runtime.js"
import type { AuthConfig, Session } from "./types.js"

/** A web request, one of `node:http`, or an upgrade request of a WebSocket server. */
export type AnyRequest = Request | NodeRequest

const isWeb = (req: AnyRequest): req is Request => typeof (req.headers as Headers).get === "function"

async function readWeb(req: Request, runtime: Runtime): Promise<Session | null> {
  const cookieSet = runtime.cookieSetFor(runtime.config.canonicalOrigin ?? new URL(req.url).origin)
  const cookieHeader = req.headers.get("cookie")
  const cookies = parseSessionCookies(cookieSet, cookieHeader)
  return (await runtime.sessions.read({ cookies, cookieSet, cookieHeader }, { mode: "read" })).session
}

/** The visit that the middleware began for this request, or one of its own where it did not run. */
function visitFor(req: NodeRequest, runtime: Runtime): Visit {
  const present = visitOf(req)
  if (present?.runtime === runtime) return present
  // Express keeps the answer on the request; elsewhere a renewed cookie can't be sent.
  return new Visit(runtime, req, { res: req.res as NodeResponse | undefined, basePath: basePathOf(req, runtime) })
}

/**
 * The session of a request's browser, or null: read within the process, for code that has a request and no
 * `req.getSession()`, a WebSocket server for instance.
 *
 * @param config the same object that the middleware got
 * @throws AuthError when the store is down (status 503) or a callback fails (status 500), ConfigurationError
 * @example
 * server.on("upgrade", async (req, socket) => {
 *   socket.on("error", () => socket.destroy())
 *   // A page of another site can open a socket too, with the user's cookies.
 *   const isOwn = req.headers.origin === "https://example.com"
 *   const session = isOwn ? await getSession(req, config).catch(() => null) : null
 *   if (!session) socket.destroy()
 * })
 */
export async function getSession(req: AnyRequest, config: AuthConfig): Promise<Session | null> {
  const runtime = requireRuntime(config)
  return isWeb(req) ? readWeb(req, runtime) : visitFor(req, runtime).getSession()
}

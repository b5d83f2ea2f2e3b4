import type { Session } from "./base/types.js"
import type { AuthConfig } from "./config/auth-config.js"
import { resolveBasePath } from "./express/mount.js"
import type { NodeRequest, NodeResponse } from "./express/node.js"
import { getContext, RequestContext } from "./express/request-context.js"
import { parseSessionCookies } from "./http/cookies.js"
import { type Runtime, requireRuntime } from "./runtime/runtime.js"

/** A web `Request`, a request of `node:http` or Express, or an upgrade request of a WebSocket server. */
export type AnyRequest = Request | NodeRequest

const isWebRequest = (req: AnyRequest): req is Request => typeof (req.headers as Headers).get === "function"

/**
 * Reads the session of a web `Request`. The site's origin is that of AUTH_URL, or else that of the request's URL.
 * Forwarding headers are ignored, because `trust proxy` exists only in Express.
 */
async function readWebSession(req: Request, runtime: Runtime): Promise<Session | null> {
  const cookieSet = runtime.cookieSetFor(runtime.config.canonicalOrigin ?? new URL(req.url).origin)
  const cookieHeader = req.headers.get("cookie")
  const cookies = parseSessionCookies(cookieSet, cookieHeader)
  const userAgent = req.headers.get("user-agent") ?? undefined
  return (await runtime.sessions.read({ cookies, cookieSet, cookieHeader, userAgent }, { mode: "read" })).session
}

/** Returns the context that the middleware of this configuration attached to the request, or a new context. */
export function getOrCreateContext(req: NodeRequest, runtime: Runtime): RequestContext {
  const attached = getContext(req)
  if (attached?.runtime === runtime) return attached
  // Express stores the response in `req.res`. If there is no response, the session is read but not extended.
  return new RequestContext(runtime, req, {
    res: req.res as NodeResponse | undefined,
    basePath: resolveBasePath(req, runtime),
  })
}

/**
 * Returns the session of a request; null if the user is not signed in. Use this function where the middleware has not
 * run and `req.getSession()` is missing, for example in a WebSocket server.
 *
 * @param config the same object as for the middleware
 * @throws AuthError if the adapter fails (status 503) or a callback fails (status 500); ConfigurationError
 * @example
 * server.on("upgrade", async (req, socket) => {
 *   socket.on("error", () => socket.destroy())
 *   // Check the origin: a page of another site can open a socket with the user's cookies.
 *   const isSameOrigin = req.headers.origin === "https://example.com"
 *   const session = isSameOrigin ? await getSession(req, config).catch(() => null) : null
 *   if (!session) socket.destroy()
 * })
 */
export async function getSession(req: AnyRequest, config: AuthConfig): Promise<Session | null> {
  const runtime = requireRuntime(config)
  return isWebRequest(req) ? readWebSession(req, runtime) : getOrCreateContext(req, runtime).getSession()
}

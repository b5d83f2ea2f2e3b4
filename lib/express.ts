import { answer } from "./actions/answer.js"
import { asAuthError } from "./errors.js"
import { withRuntime } from "./express/brand.js"
import { cspNonceOf } from "./express/csp-nonce.js"
import { noticeBody, toIncoming } from "./express/incoming.js"
import { keepPrivate } from "./express/keep-private.js"
import { basePathOf, noticeMount } from "./express/mount.js"
import {
  fullPath,
  fullTarget,
  type Middleware,
  type Next,
  type NodeRequest,
  type NodeResponse,
} from "./express/node.js"
import { isSecure, noticeOrigin, readClientAddress, requireOrigin } from "./express/origin.js"
import { send, sendPlain } from "./express/send.js"
import { beginVisit, type ViewAuth, Visit, VisitView } from "./express/visit.js"
import { type ActionName, parseAction } from "./http/action.js"
import { parseIncoming } from "./http/request.js"
import { write } from "./http/response.js"
import { type Runtime, requireRuntime } from "./runtime.js"
import type { AuthConfig, Session, User } from "./types.js"

declare global {
  namespace Express {
    interface Request {
      /** The session of this request's browser, or null; read once, however often it is called. */
      getSession(): Promise<Session | null>
      /** Who is signed in; there behind `requireAuth`. */
      auth: { readonly session: Session; readonly user: User }
    }
    interface Locals {
      /** What views need for their own sign-in and sign-out forms. */
      auth: ViewAuth
    }
  }
}

/**
 * The middleware: serves the authentication's addresses, and gives every other request `req.getSession()` and
 * `res.locals.auth`. Mount it once, before the routes that use it.
 *
 * It serves below `basePath`, else the path of AUTH_URL, else the path it is mounted at, else `/auth`, and passes on
 * everything else. It reads the configuration here and now.
 *
 * @throws ConfigurationError listing everything that is wrong with the configuration
 * @example
 * const app = express()
 * app.use(authMiddleware({ providers: [GitHub] }))
 * app.get("/", async (req, res) => res.json(await req.getSession()))
 */
export function authMiddleware(config: AuthConfig): Middleware {
  const runtime = requireRuntime(config)
  const latchkey: Middleware = (req, res, next) => {
    const basePath = basePathOf(req, runtime)
    attach(req, res, new Visit(runtime, req, { res, basePath }))
    const action = findAction(req, basePath)
    if (!action) noticeMount(req, runtime)
    // Without passkeys the page of that name is the application's own.
    if (!action || (action === "passkeys" && runtime.passkeyProvider === undefined)) return next()
    void answerNode(req, res, next, { runtime, basePath })
  }
  return withRuntime(latchkey, runtime)
}

/**
 * The action that the request line names. Only its literal spelling counts: middleware in front, a limiter for instance,
 * is mounted on that one.
 */
function findAction(req: NodeRequest, basePath: string): ActionName | undefined {
  const path = fullPath(req)
  const action = parseAction(path, basePath)?.action
  if (!action || (path.endsWith("/") && req.app?.get("strict routing") === true)) return undefined
  // A URL parser reads "/x\\..\\y" as "/y".
  return new URL(path, "http://localhost").pathname === path ? action : undefined
}

function attach(req: NodeRequest, res: NodeResponse, visit: Visit): void {
  beginVisit(req, visit)
  res.locals ??= {}
  res.locals["auth"] = new VisitView(visit)
}

async function answerNode(
  req: NodeRequest,
  res: NodeResponse,
  next: Next,
  { runtime, basePath }: { runtime: Runtime; basePath: string },
): Promise<void> {
  try {
    noticeOrigin(req, runtime)
    noticeBody(req, runtime)
    const origin = requireOrigin(req, runtime)
    const cookieSet = runtime.cookieSetFor(isSecure(req, runtime) ? "https:" : "http:")
    const clientAddress = readClientAddress(req)
    const { proxyPrefix } = runtime.config
    const incoming = toIncoming(req, origin + proxyPrefix + fullTarget(req))
    const entry = { origin, basePath: proxyPrefix + basePath, cookieSet, clientAddress, cspNonce: cspNonceOf(req, res) }
    const call = await parseIncoming(incoming, entry)
    const reply = await answer(call, runtime)
    if (reply.failure) {
      // The error response of the application may reveal session state.
      keepPrivate(res)
      return next(reply.failure)
    }
    send(write(reply, call), req, res)
  } catch (error) {
    const own = asAuthError(error)
    if (!own || own.status >= 500 || res.headersSent) return next(error)
    runtime.logger.failure(own)
    sendPlain(res, own.status, "Bad request.")
  }
}

import { coded } from "../errors/error-codes.js"
import { AuthError } from "../errors/errors.js"
import type { NodeRequest, RequestAuth } from "./node.js"
import { getContext, type RequestContext, requireSameVersion } from "./request-context.js"

const missingMiddlewareMessage = (caller: string): string =>
  `${caller} was called for a request that authMiddleware has not handled. Mount the middleware on the whole application, before all routes: app.use(authMiddleware(config))`

/** The result of `readAuth`. */
export interface AuthRead {
  readonly context: RequestContext
  /** The value of `req.auth`; undefined without a session. */
  readonly auth: RequestAuth | undefined
}

/**
 * Returns the context of a request. `caller` is the function that the application has called, for the error message.
 *
 * @throws AuthError if the middleware is missing, or is from another version of this package
 */
export function requireContext(req: NodeRequest, caller: string): RequestContext {
  const context = getContext(req)
  if (!context) throw coded("middleware-missing", new AuthError(missingMiddlewareMessage(caller)))
  requireSameVersion(context)
  return context
}

/**
 * Reads the session of a request, and sets `req.auth` if there is a session. `caller` is the function that the
 * application has called, for the error message.
 *
 * @throws AuthError if the middleware is missing or is from another version of this package, or if the session can't be
 * read
 */
export async function readAuth(req: NodeRequest, caller: string): Promise<AuthRead> {
  const context = requireContext(req, caller)
  const session = await context.getSession()
  const { id: sessionId, owner } = context.identifiers
  const auth = session ? { session, user: session.user ?? {}, sessionId, owner } : undefined
  if (auth) req.auth = auth
  return { context, auth }
}

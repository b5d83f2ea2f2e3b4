import { coded } from "../errors/error-codes.js"
import { AuthError } from "../errors/errors.js"
import type { NodeRequest, RequestAuth } from "./node.js"
import { getContext, type RequestContext, requireSameVersion } from "./request-context.js"

const missing = (reader: string): string =>
  `${reader} found no session reader on this request. Mount the middleware before it, on the whole application: app.use(authMiddleware(config))`

/** The context and the session of a request. */
export interface AuthRead {
  readonly context: RequestContext
  /** Undefined without a session. */
  readonly auth: RequestAuth | undefined
}

/**
 * Returns the context of a request.
 *
 * @throws AuthError if the middleware is missing or of another version
 */
export function requireContext(req: NodeRequest, reader: string): RequestContext {
  const context = getContext(req)
  if (!context) throw coded("middleware-missing", new AuthError(missing(reader)))
  requireSameVersion(context)
  return context
}

/**
 * Reads the session of a request, and sets `req.auth` if there is one.
 *
 * @throws AuthError if the middleware is missing or of another version, or if the session can't be read
 */
export async function readAuth(req: NodeRequest, guard: string): Promise<AuthRead> {
  const context = requireContext(req, guard)
  const session = await context.getSession()
  const { id: sessionId, owner } = context.names
  const auth = session ? { session, user: session.user ?? {}, sessionId, owner } : undefined
  if (auth) req.auth = auth
  return { context, auth }
}

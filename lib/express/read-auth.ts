import { coded } from "../error-codes.js"
import { AuthError } from "../errors.js"
import type { Session, User } from "../types.js"
import type { NodeRequest } from "./node.js"
import { type Visit, visitOf } from "./visit.js"

const missing = (guard: string): string =>
  `${guard} found no session reader on this request. Mount the middleware before it, on the whole application: app.use(authMiddleware(config))`

/** What a guard reads of a request. */
export interface AuthRead {
  readonly visit: Visit
  /** Undefined without a session. */
  readonly auth: { readonly session: Session; readonly user: User } | undefined
}

/**
 * Reads the session of a request and sets `req.auth` when there is one.
 *
 * @throws AuthError when the middleware is missing, and what reading a session throws
 */
export async function readAuth(req: NodeRequest, guard: string): Promise<AuthRead> {
  const visit = visitOf(req)
  if (!visit) throw coded("middleware-missing", new AuthError(missing(guard)))
  const session = await visit.getSession()
  const auth = session ? { session, user: session.user ?? {} } : undefined
  if (auth) req.auth = auth
  return { visit, auth }
}

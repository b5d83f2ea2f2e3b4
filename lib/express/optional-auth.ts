import type { IncomingMessage, ServerResponse } from "node:http"
import { asError } from "../errors.js"
import type { Next } from "./node.js"
import { readAuth } from "./read-auth.js"

/**
 * Reads the session before the next handler runs, and lets every request pass. With a session, `req.auth.user` is set,
 * as after `requireAuth`; without one, `req.auth` is undefined. Views have `auth.user`.
 *
 * A failure, for instance of the store, goes to `next`. So the handler needs no `await`, and nothing is left unhandled
 * on Express 4, which does not wait for promises.
 *
 * @example
 * app.get("/", optionalAuth, (req, res) => res.json(req.auth?.user ?? null))
 */
export function optionalAuth(req: IncomingMessage, _res: ServerResponse, next: Next): void {
  readAuth(req, "optionalAuth").then(
    () => next(),
    (error: unknown) => next(asError(error)),
  )
}

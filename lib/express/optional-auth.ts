import type { IncomingMessage, ServerResponse } from "node:http"
import { asError } from "../errors/errors.js"
import type { Next } from "./node.js"
import { readAuth } from "./read-auth.js"

/**
 * Middleware that reads the session and lets every request pass. With a session, `req.auth` is set as after
 * `requireAuth`, and views have `auth.user`; without one, both are undefined.
 *
 * An error, for example of the adapter, is passed to `next`. The handler therefore needs no `await`, and no promise
 * rejects unhandled on Express 4.
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

import type { IncomingMessage, ServerResponse } from "node:http"
import { asError } from "../errors/errors.js"
import type { Next } from "./node.js"
import { readAuth } from "./read-auth.js"

/**
 * Middleware that reads the session and lets every request pass. With a session, it sets `req.auth` like `requireAuth`,
 * and `auth.user` for views. Without a session, `req.auth` and `auth.user` are undefined.
 *
 * Handlers can use `req.auth` without `await`. An error, for example of the adapter, is passed to `next`, so it causes
 * no unhandled rejection on Express 4.
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

import { JWTSessionError } from "../errors/errors.js"
import { foreignCookieHint } from "../http/cookie-hints.js"
import { createLogLimit } from "../logging/log-limit.js"
import type { Logger } from "../logging/logger.js"
import { SealError } from "../security/jwe.js"

/** A new error for each record: loggers may add properties to an error, and each `SealError` is shared. */
const copySealError = (reason: Error): Error => (reason instanceof SealError ? new SealError(reason.reason) : reason)

/** Logs session cookies that are invalid. Clients can send any number of them, so the number of records is limited. */
export function createInvalidCookieLog(logger: Logger, now: () => number): (reason: Error) => void {
  const limit = createLogLimit(now)
  return (reason) => {
    // A field, because an application's `decode` may throw the error of another copy of the package.
    const why: unknown = Reflect.get(reason, "reason")
    if (why === "expired") {
      logger.debug("session", "the session cookie has expired")
      return
    }
    const omitted = limit.take()
    if (omitted === undefined) return
    const others = omitted > 0 ? `; ${omitted} more such requests were not logged` : ""
    const message = `a session cookie can't be decrypted, so the request is treated as signed out${others}`
    const hint = why === "secret" ? { hint: foreignCookieHint("sessionToken") } : {}
    logger.error(new JWTSessionError(message, { err: copySealError(reason), ...hint }))
  }
}

import { JWTSessionError } from "../errors.js"
import { foreignCookieHint } from "../http/cookie-hints.js"
import { createLogLimit } from "../log-limit.js"
import type { Logger } from "../logger.js"
import { SealError } from "../security/jwe.js"

/** As `security/jwe` says it. */
const NO_SECRET = "no matching decryption secret"

/** Loggers write on the errors that they get, and of each of ours there is one for everybody. */
const copyOf = (reason: Error): Error => (reason instanceof SealError ? new SealError(reason.message) : reason)

/** Tells of a session cookie that does not open: strangers send them, so not of each. */
export function createRefusalLog(logger: Logger, now: () => number): (reason: Error) => void {
  const limit = createLogLimit(now)
  return (reason) => {
    if (reason.message === "expired") {
      logger.debug("session", "the session cookie is too old")
      return
    }
    const leftOut = limit.take()
    if (leftOut === undefined) return
    const others = leftOut > 0 ? `, as were ${leftOut} more that are not in the log` : ""
    const message = `a session cookie could not be opened; its bearer is signed out${others}`
    const hint = reason.message === NO_SECRET ? { hint: foreignCookieHint("sessionToken") } : {}
    logger.error(new JWTSessionError(message, { err: copyOf(reason), ...hint }))
  }
}

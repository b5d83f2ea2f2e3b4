import { JWTSessionError } from "../errors.js"
import { createLogLimit } from "../log-limit.js"
import type { Logger } from "../logger.js"
import { SealError } from "../security/jwe.js"

/** Loggers write on the errors that they get, and of each of ours there is one for everybody. */
const copyOf = (reason: Error): Error => (reason instanceof SealError ? new SealError(reason.message) : reason)

/** Tells of a session cookie that does not open: strangers send them, so not of each. */
export function createRefusalLog(logger: Logger, now: () => number): (reason: Error) => void {
  const limit = createLogLimit(now)
  return (reason) => {
    if (reason.message === "expired") {
      logger.debug("session cookie expired")
      return
    }
    const leftOut = limit.take()
    if (leftOut === undefined) return
    const others = leftOut > 0 ? `, as were ${leftOut} more that are not in the log` : ""
    const message = `a session cookie could not be opened; its bearer is signed out${others}`
    logger.error(new JWTSessionError(message, { err: copyOf(reason) }))
  }
}

import { JWTSessionError } from "../errors.js"
import { createLogLimit } from "../log-limit.js"
import type { Logger } from "../logger.js"

/** Tells of a session cookie that does not open: strangers send them, so not of each. */
export function createRefusalLog(logger: Logger, now: () => number): (reason: Error) => void {
  const limit = createLogLimit(now)
  return (err) => {
    if (err.message === "expired") {
      logger.debug("session cookie expired")
      return
    }
    const leftOut = limit.take()
    if (leftOut === undefined) return
    const others = leftOut > 0 ? `, as were ${leftOut} more that are not in the log` : ""
    const message = `a session cookie could not be opened; its bearer is signed out${others}`
    logger.error(new JWTSessionError(message, { err }))
  }
}

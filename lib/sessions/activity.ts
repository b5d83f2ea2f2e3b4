import type { User } from "../base/types.js"
import { createLruCache } from "../cache/lru-cache.js"
import { createSingleFlight } from "../cache/single-flight.js"
import type { ReadyCallbacks } from "../config/resolved-config.js"
import { CallbackRouteError, TIMED_OUT } from "../errors/errors.js"

/** How long an answer of the application is used for a session. */
const INTERVAL_MS = 60_000
const MAX_SESSIONS = 100_000

/** Asks the application whether users may be signed in. */
export interface ActivityCheck {
  /**
   * Returns the answer for the user of a session, or true if the last answer is less than a minute old.
   *
   * @throws CallbackRouteError if the application's function fails
   */
  isActive(sessionId: string, findUser: () => Promise<User | null>): Promise<boolean>
}

const createTimeoutError = (seconds: number) =>
  new CallbackRouteError(`isActive did not settle within ${seconds} s`, { callback: "isActive" }, TIMED_OUT)

/** Creates the check of a configuration; undefined without the option `isActive`. */
export function createActivityCheck({ isActive }: Pick<ReadyCallbacks, "isActive">): ActivityCheck | undefined {
  if (!isActive) return undefined
  const askedAt = createLruCache<{ readonly time: number }>(MAX_SESSIONS)
  const flight = createSingleFlight<boolean>(createTimeoutError)
  return {
    async isActive(sessionId, findUser) {
      const time = performance.now()
      const last = askedAt.get(sessionId)?.time
      if (last !== undefined && time - last < INTERVAL_MS) return true
      return flight.read(sessionId, async () => {
        const user = await findUser()
        // The adapter has deleted the user.
        if (!user || !(await isActive(user))) return false
        askedAt.set(sessionId, { time })
        return true
      })
    },
  }
}

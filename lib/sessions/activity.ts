import type { User } from "../base/types.js"
import { createLruCache } from "../cache/lru-cache.js"
import { createSingleFlight } from "../cache/single-flight.js"
import type { ReadyCallbacks } from "../config/resolved-config.js"
import { CallbackRouteError, TIMED_OUT } from "../errors/errors.js"

/** After `isActive` has returned true for a session, it is not called again for this time. */
const INTERVAL_MS = 60_000
const MAX_SESSIONS = 100_000

/** Checks with the option `isActive` whether the user of a session may stay signed in. */
export interface ActivityCheck {
  /**
   * Calls the option for the user of a session and returns its result; returns false if the user does not exist. If the
   * option returned true for this session less than a minute ago, returns true without a call.
   *
   * @throws AuthError if the option fails, or if the user can't be read
   */
  isActive(sessionId: string, findUser: () => Promise<User | null>): Promise<boolean>
}

const createTimeoutError = (seconds: number) =>
  new CallbackRouteError(
    `isActive, with the read of its user, did not settle within ${seconds} s`,
    { callback: "isActive" },
    TIMED_OUT,
  )

/** Creates the check; returns undefined if the option `isActive` is not set. */
export function createActivityCheck({ isActive }: Pick<ReadyCallbacks, "isActive">): ActivityCheck | undefined {
  if (!isActive) return undefined
  const confirmedAt = createLruCache<{ readonly time: number }>(MAX_SESSIONS)
  const flight = createSingleFlight<boolean>(createTimeoutError)
  return {
    async isActive(sessionId, findUser) {
      const time = performance.now()
      const last = confirmedAt.get(sessionId)?.time
      if (last !== undefined && time - last < INTERVAL_MS) return true
      return flight.read(sessionId, async () => {
        const user = await findUser()
        // `user` is null if the adapter has deleted the user.
        if (!user || !(await isActive(user))) return false
        confirmedAt.set(sessionId, { time })
        return true
      })
    },
  }
}

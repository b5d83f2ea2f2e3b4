import type { JWTOptions } from "../jwt.js"
import type { SessionOptions } from "../types.js"
import { DEFAULT_SESSION_UPDATE_AGE_SECONDS } from "./defaults.js"

type Session = Required<Pick<SessionOptions, "strategy" | "maxAge">>

/**
 * After how many seconds a session is prolonged, where nothing is said: a day, and of less than the usual thirty days a
 * thirtieth. After a day a session of an hour would be over, however often it is used.
 */
export function updateAgeOf({ strategy, maxAge }: Session, jwt: Partial<Pick<JWTOptions, "maxAge">>): number {
  const life = strategy === "database" ? maxAge : Math.min(maxAge, jwt.maxAge ?? maxAge)
  // What is no time is told of by `checkConfig`, and nothing else for its sake.
  return life > 0
    ? Math.min(DEFAULT_SESSION_UPDATE_AGE_SECONDS, Math.ceil(life / 30))
    : DEFAULT_SESSION_UPDATE_AGE_SECONDS
}

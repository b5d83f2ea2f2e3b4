import type { JWTOptions } from "../jwt.js"
import type { SessionOptions } from "../types.js"
import { DEFAULT_SESSION_UPDATE_AGE_SECONDS } from "./defaults.js"

type Session = Required<Pick<SessionOptions, "strategy" | "maxAge">>

/**
 * The default number of seconds after which a session is extended: a day, or a thirtieth of a lifetime below 30 days.
 * If it were always a day, a session of an hour would never be extended.
 */
export function defaultUpdateAge({ strategy, maxAge }: Session, jwt: Partial<Pick<JWTOptions, "maxAge">>): number {
  const lifetime = strategy === "database" ? maxAge : Math.min(maxAge, jwt.maxAge ?? maxAge)
  // `checkConfig` reports an invalid lifetime. The default avoids a second problem for the same cause.
  return lifetime > 0
    ? Math.min(DEFAULT_SESSION_UPDATE_AGE_SECONDS, Math.ceil(lifetime / 30))
    : DEFAULT_SESSION_UPDATE_AGE_SECONDS
}

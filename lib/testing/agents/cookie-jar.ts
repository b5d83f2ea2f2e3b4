import type { Awaitable } from "../../base/awaitable.js"
import { type OutgoingCookie, serialise } from "../../http/cookies.js"

/** The cookie jar of an agent. */
export interface CookieJar {
  /** The origin of the agent's requests, if the agent has one. */
  readonly origin: string | undefined
  /** The application or its server, if the agent has one. */
  readonly app: unknown
  /** Returns the `Cookie` header of a request. */
  read(origin: string): Awaitable<string>
  /** Stores or deletes a cookie of a response. The expiry is not stored, because it depends on the server's clock. */
  store(cookie: OutgoingCookie, origin: string): Awaitable<unknown>
}

/** True if this cookie clears a stored one. */
export const isCleared = ({ options }: OutgoingCookie): boolean => options.maxAge === 0

/** Returns `name=value`, encoded as in a header. */
export const cookiePair = (cookie: OutgoingCookie): string => serialise(cookie).split(";", 1)[0] ?? ""

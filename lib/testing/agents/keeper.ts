import { type OutgoingCookie, serialise } from "../../http/cookies.js"
import type { Awaitable } from "../../types.js"

/** What an agent keeps cookies in, whichever it is. */
export interface CookieKeeper {
  /** Where the agent's requests go, when it says so itself. */
  readonly origin: string | undefined
  /** What may be an application, or hold one. */
  readonly app: unknown
  /** The cookies that a request would bring, as its header. */
  read(origin: string): Awaitable<string>
  /** Takes a cookie as an answer would bring it, or drops it. How long it lasts is left to the server's clock. */
  take(cookie: OutgoingCookie, origin: string): Awaitable<unknown>
}

/** Is this cookie to be cleared? */
export const isDropped = ({ options }: OutgoingCookie): boolean => options.maxAge === 0

/** `name=value`, encoded as in a header. */
export const pairOf = (cookie: OutgoingCookie): string => serialise(cookie).split(";", 1)[0] ?? ""

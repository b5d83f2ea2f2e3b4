import type { AuthCall } from "../http/call.js"
import type { CookieChange } from "../http/cookies.js"
import type { Reply } from "../http/reply.js"
import type { Runtime } from "../runtime.js"

export type Handler = (call: AuthCall, runtime: Runtime) => Promise<Reply>

/** What a route asks of every call before its handler runs. */
export interface Gate {
  /** Must the call carry the browser's CSRF token? */
  readonly needsCsrf: boolean
  /** Is a POST that another site sends refused, even without a CSRF token to look at? */
  readonly refusesCrossSite?: boolean
  /** Does the answer carry a CSRF token or a form? Then the browser gets its cookie. */
  readonly givesCsrf: boolean
  /** Does the answer depend on where the person wants to go? */
  readonly hasCallbackUrl: boolean
  /** True if the return URL that the browser kept from an earlier request has no effect. */
  readonly ignoresKeptUrl?: boolean
}

/** What an attempt left in the browser. */
export interface Leftover {
  readonly callbackUrl?: string
  readonly cookies: readonly CookieChange[]
}

/** A handler with its gate. */
export interface Route {
  readonly handle: Handler
  /** A route without one is open to every call, and sets no cookie. */
  readonly gate: Gate | undefined
  /** How long the answer may take, in milliseconds. @default 9500 */
  readonly patienceMs?: number
  /** Finds what an earlier call left for this one, to be cleared whatever comes of it. */
  readonly resume?: (call: AuthCall, runtime: Runtime) => Leftover
}

/** The routes of one action. Some depend on the provider that is named. */
export type Action = (call: AuthCall, runtime: Runtime) => Readonly<Partial<Record<"GET" | "POST", Route>>>

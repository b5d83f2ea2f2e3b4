import type { LRUCache } from "lru-cache"
import type { ConfigProblem } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import type { Reply } from "../http/reply.js"
import type { FailureRecord } from "../logging/logger.js"
import type { MethodRuntime, PendingFlow } from "../methods/method.js"

/** The part of the runtime that actions need. */
export interface ActionRuntime extends MethodRuntime {
  /** The problems of the configuration. If there are any, only static files are served. */
  readonly problems: readonly ConfigProblem[]
  /** The id of the first passkey provider in the configuration, which registers new passkeys; undefined without one. */
  readonly passkeyProviderId: string | undefined
  /** The log records of failures that pages show in development, by the key in the cookie `errorReference`. */
  readonly failureRecords: LRUCache<string, FailureRecord>
}

/** Replies to a call. `flow` is the result of the route's `resume`, or an empty flow if there is none. */
export type Handler = (call: AuthCall, runtime: ActionRuntime, flow: PendingFlow) => Promise<Reply>

/** The checks and preparations that run before a route's handler. */
export interface RouteGuards {
  /** True if the call must carry the browser's CSRF token. */
  readonly needsCsrf: boolean
  /** True if a cross-site POST is rejected even where no CSRF token is required. */
  readonly refusesCrossSite?: boolean
  /** True if the response contains a CSRF token or a form, so the browser needs the CSRF cookie. */
  readonly issuesCsrfToken: boolean
  /** True if the response depends on the return URL. */
  readonly hasCallbackUrl: boolean
  /** True if the return URL in the browser's cookie is ignored. */
  readonly ignoresStoredUrl?: boolean
}

/** A handler with its guards. */
export interface Route {
  readonly handle: Handler
  /** A route without guards accepts every call and sets no cookie. */
  readonly guards: RouteGuards | undefined
  /** Time limit for the response, in milliseconds. @default 9500 */
  readonly timeoutMs?: number
  /**
   * Finds the pending flow that an earlier call stored in the browser. The response clears the cookies of the flow,
   * whether the handler succeeds or fails.
   */
  readonly resume?: (call: AuthCall, runtime: ActionRuntime) => PendingFlow | undefined
}

/** The routes of one action. For some actions they depend on the provider in the path. */
export type Action = (call: AuthCall, runtime: ActionRuntime) => Readonly<Partial<Record<"GET" | "POST", Route>>>

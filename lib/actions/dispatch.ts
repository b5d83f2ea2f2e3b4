import type { CookieChange } from "../base/types.js"
import {
  AuthError,
  type ConfigProblem,
  ConfigurationError,
  describeProblem,
  errorOfType,
  SignOutError,
  TIMED_OUT,
  UnknownAction,
} from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, withCookies } from "../http/reply.js"
import type { PendingFlow } from "../methods/method.js"
import { requireTrustedHost } from "../security/trusted-host.js"
import type { ActionRuntime, Route } from "./action.js"
import { replyToError } from "./error-reply.js"
import { applyGuards } from "./guards.js"
import { ACTIONS } from "./index.js"
import { startTrace, traceReply } from "./trace.js"

const NO_FLOW: PendingFlow = { pending: undefined, cookies: [] }

/** Routes a call to its action, and traces it. `replyToError` handles all errors. */
export async function dispatch(received: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const call = startTrace(received, runtime)
  const reply = await dispatchCall(call, runtime)
  traceReply(reply, call, runtime)
  return reply
}

const dispatchCall = (call: AuthCall, runtime: ActionRuntime): Promise<Reply> =>
  runRoute(() => findRoute(call, runtime), call, runtime)

/** Runs a route within its time limit. `replyToError` handles all errors. */
export async function runRoute(getRoute: () => Route, call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  let flow = NO_FLOW
  let cookies: readonly CookieChange[] = []
  let guardedCall = call
  let deadline: Deadline | undefined
  try {
    const route = getRoute()
    deadline = startDeadline(call, route.timeoutMs)
    flow = route.resume?.(call, runtime) ?? NO_FLOW
    const {
      remember = call.remember,
      isReauthentication = call.isReauthentication,
      requiredQuery = call.requiredQuery,
    } = flow
    guardedCall = { ...call, remember, isReauthentication, requiredQuery }
    const guarded = await deadline.race(applyGuards(guardedCall, route.guards, flow, runtime))
    guardedCall = guarded.call
    cookies = guarded.cookies
    const { signal, softDeadline } = deadline
    const reply = await deadline.race(route.handle({ ...guardedCall, signal, softDeadline }, runtime, flow))
    return withCookies([...cookies, ...flow.cookies], reply)
  } catch (error) {
    const { callbackUrl = guardedCall.callbackUrl } = flow
    const reply = await replyToError(error, { ...guardedCall, callbackUrl }, runtime)
    const sessionCookies = error instanceof SignOutError ? error.cookies : []
    return withCookies([...cookies, ...flow.cookies, ...sessionCookies], reply)
  } finally {
    deadline?.clear()
    call.trace?.flush()
  }
}

/**
 * The default time limit of a route. Shorter than the timeout of common reverse proxies, which is ten seconds or more.
 */
const TIMEOUT_MS = 9_500
/** The time between the soft deadline and the timeout, in which a finished result can still be sent. */
const SOFT_DEADLINE_MARGIN_MS = 250

interface Deadline {
  /** Aborted at the timeout. */
  readonly signal: AbortSignal
  /** Resolves shortly before the timeout. */
  readonly softDeadline: Promise<void>
  /**
   * Waits for `work` until the timeout. The work itself is not cancelled: a user and an account that are being written
   * must both be stored.
   *
   * @throws AuthError with status 503 at the timeout
   */
  race<T>(work: Promise<T>): Promise<T>
  /** Stops the timers. */
  clear(): void
}

function startDeadline(call: AuthCall, timeoutMs = TIMEOUT_MS): Deadline {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let reachSoftDeadline = () => {}
  const softDeadline = new Promise<void>((resolve) => {
    reachSoftDeadline = resolve
  })
  const timeout = new Promise<never>((_, reject) => {
    const reachTimeout = () => {
      controller.abort()
      reject(createTimeoutError(call, timeoutMs))
    }
    timer = setTimeout(() => {
      reachSoftDeadline()
      timer = setTimeout(reachTimeout, SOFT_DEADLINE_MARGIN_MS)
    }, timeoutMs - SOFT_DEADLINE_MARGIN_MS)
  })
  // Prevents an unhandled rejection if no `race` is pending at the timeout.
  timeout.catch(() => {})
  return {
    signal: controller.signal,
    softDeadline,
    race: (work) => Promise.race([work, timeout]),
    clear: () => clearTimeout(timer),
  }
}

function createTimeoutError({ action, method, providerId }: AuthCall, timeoutMs: number): AuthError {
  const route = `${method} ${action}${providerId === undefined ? "" : `/${providerId}`}`
  const reason = "the adapter, a callback or an event handler is slow"
  return new AuthError(`${route} timed out after ${timeoutMs / 1000} s: ${reason}`, {}, TIMED_OUT)
}

/**
 * Finds the route of a call.
 *
 * @throws the call's `problem`; the errors of `requireUsableConfig`; InvalidProvider; UnknownAction, with the allowed
 * methods if only the method is wrong
 */
function findRoute(call: AuthCall, runtime: ActionRuntime): Route {
  if (call.problem) throw call.problem
  // Assets are served despite a configuration problem, because the error page needs its style sheet.
  if (call.action !== "assets") requireUsableConfig(call, runtime)
  const routes = ACTIONS[call.action]?.(call, runtime)
  if (!routes) throw new UnknownAction("there is no such action", { action: call.action })
  const routeMethod = call.method === "HEAD" ? "GET" : call.method
  const route = routeMethod === "GET" || routeMethod === "POST" ? routes[routeMethod] : undefined
  if (route) return route
  const allow = Object.keys(routes).flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name]))
  const facts = { action: call.action, method: call.method }
  const error = new UnknownAction("the action does not support this method", facts, { status: 405 })
  error.allow = allow
  throw error
}

/**
 * @throws UntrustedHost if no host is trusted, BadRequest if `trustHost` does not list the host, or else the first
 * configuration problem
 */
function requireUsableConfig(call: AuthCall, runtime: ActionRuntime): void {
  requireTrustedHost(call.url.origin + call.url.pathname, runtime.config)
  const [problem] = runtime.problems
  if (problem) throw createConfigurationError(problem)
}

function createConfigurationError(problem: ConfigProblem): AuthError {
  const { type, code, path } = problem
  const [text, facts] = [describeProblem(problem), { option: path }]
  return type === "ConfigurationError"
    ? new ConfigurationError([problem], text, facts)
    : errorOfType(type, text, facts, { messageCode: code })
}

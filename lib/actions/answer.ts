import { AuthError, type ConfigProblem, SignOutError, UnknownAction, untrustedHost } from "../errors.js"
import type { AuthCall } from "../http/call.js"
import type { CookieChange } from "../http/cookies.js"
import { type Reply, withCookies } from "../http/reply.js"
import type { Runtime } from "../runtime.js"
import type { Leftover, Route } from "./action.js"
import { replyToError } from "./error-reply.js"
import { admit } from "./gate.js"
import { ACTIONS } from "./index.js"

const NOTHING: Leftover = { cookies: [] }

/** Answers a call. It never throws: every failure leaves by `replyToError`. */
export async function answer(call: AuthCall, runtime: Runtime): Promise<Reply> {
  let leftover = NOTHING
  let cookies: readonly CookieChange[] = []
  let admitted = call
  try {
    const route = findRoute(call, runtime)
    leftover = route.resume?.(call, runtime) ?? NOTHING
    const entered = await admit(call, route.gate, leftover, runtime)
    admitted = entered.call
    cookies = entered.cookies
    const reply = await handleInTime(route, admitted, runtime)
    return withCookies([...cookies, ...leftover.cookies], reply)
  } catch (error) {
    const { callbackUrl = admitted.callbackUrl } = leftover
    const reply = await replyToError(error, { ...admitted, callbackUrl }, runtime)
    const forgotten = error instanceof SignOutError ? error.cookies : []
    return withCookies([...cookies, ...leftover.cookies, ...forgotten], reply)
  }
}

/** A person waits, and a proxy in front gives up after ten seconds or more. */
const PATIENCE_MS = 9_500

/**
 * The route's answer. What takes too long is answered without it, and goes on to its own end: a user and the account
 * that are being written belong together.
 *
 * @throws AuthError with status 503 when the time is over
 */
async function handleInTime(route: Route, call: AuthCall, runtime: Runtime): Promise<Reply> {
  const { patienceMs = PATIENCE_MS } = route
  const giveUp = new AbortController()
  const handling = route.handle({ ...call, signal: giveUp.signal }, runtime)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      giveUp.abort()
      reject(tooLate(call, patienceMs))
    }, patienceMs)
  })
  try {
    return await Promise.race([handling, late])
  } finally {
    clearTimeout(timer)
  }
}

function tooLate({ action, method, providerId }: AuthCall, patienceMs: number): AuthError {
  const what = `${method} ${action}${providerId === undefined ? "" : `/${providerId}`}`
  const why = "the store, or a callback or an event of the application, is slow"
  return Object.assign(new AuthError(`${what} was not answered within ${patienceMs / 1000} s: ${why}`), { status: 503 })
}

/**
 * The route of a call.
 *
 * @throws the call's problem, UntrustedHost, or UnknownAction with the methods that there are
 */
function findRoute(call: AuthCall, runtime: Runtime): Route {
  if (call.problem) throw call.problem
  if (!runtime.config.trustHost) throw untrustedHost(call.url.origin + call.url.pathname)
  const [problem] = runtime.problems
  if (problem) throw misconfigured(problem)
  const routes = ACTIONS[call.action]?.(call, runtime)
  if (!routes) throw new UnknownAction("there is no such action", { action: call.action })
  const verb = call.method === "HEAD" ? "GET" : call.method
  const route = verb === "GET" || verb === "POST" ? routes[verb] : undefined
  if (route) return route
  const allow = Object.keys(routes).flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name]))
  throw Object.assign(
    new UnknownAction("the action does not take this method", { action: call.action, method: call.method }),
    {
      status: 405,
      allow,
    },
  )
}

const misconfigured = ({ type, path, message }: ConfigProblem): AuthError =>
  Object.assign(new AuthError(`${path} ${message}`, { option: path }), { name: type, type })

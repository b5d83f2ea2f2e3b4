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
    const reply = await route.handle(admitted, runtime)
    return withCookies([...cookies, ...leftover.cookies], reply)
  } catch (error) {
    const { callbackUrl = admitted.callbackUrl } = leftover
    const reply = await replyToError(error, { ...admitted, callbackUrl }, runtime)
    const forgotten = error instanceof SignOutError ? error.cookies : []
    return withCookies([...cookies, ...leftover.cookies, ...forgotten], reply)
  }
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

import { coded } from "../error-codes.js"
import {
  AuthError,
  type ConfigProblem,
  ConfigurationError,
  errorOfType,
  SignOutError,
  toCause,
  UnknownAction,
} from "../errors.js"
import type { AuthCall } from "../http/call.js"
import type { CookieChange } from "../http/cookies.js"
import { type Reply, withCookies } from "../http/reply.js"
import type { Runtime } from "../runtime.js"
import { requireTrustedHost } from "../security/trusted-host.js"
import type { Leftover, Route } from "./action.js"
import { replyToError } from "./error-reply.js"
import { admit } from "./gate.js"
import { ACTIONS } from "./index.js"
import { beginStory, tellReply } from "./tell.js"

const NOTHING: Leftover = { cookies: [] }

/** Answers a call. It never throws: every failure leaves by `replyToError`. */
export async function answer(received: AuthCall, runtime: Runtime): Promise<Reply> {
  const call = beginStory(received, runtime)
  const reply = await answerCall(call, runtime)
  tellReply(reply, call, runtime)
  return reply
}

async function answerCall(call: AuthCall, runtime: Runtime): Promise<Reply> {
  let leftover = NOTHING
  let cookies: readonly CookieChange[] = []
  let admitted = call
  let wait: Wait | undefined
  try {
    const route = findRoute(call, runtime)
    wait = startWait(call, route.patienceMs)
    leftover = route.resume?.(call, runtime) ?? NOTHING
    const entered = await wait.for(admit(call, route.gate, leftover, runtime))
    admitted = entered.call
    cookies = entered.cookies
    const reply = await wait.for(
      route.handle({ ...admitted, signal: wait.signal, lastMoment: wait.lastMoment }, runtime),
    )
    return withCookies([...cookies, ...leftover.cookies], reply)
  } catch (error) {
    const { callbackUrl = admitted.callbackUrl } = leftover
    const reply = await replyToError(error, { ...admitted, callbackUrl }, runtime)
    const forgotten = error instanceof SignOutError ? error.cookies : []
    return withCookies([...cookies, ...leftover.cookies, ...forgotten], reply)
  } finally {
    wait?.end()
    call.story?.settle()
  }
}

/** A person waits, and a proxy in front gives up after ten seconds or more. */
const PATIENCE_MS = 9_500
/** Of that, what an answer takes that is settled. */
const LAST_MOMENT_MS = 250

interface Wait {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal
  /** Fulfilled shortly before. */
  readonly lastMoment: Promise<void>
  /**
   * What is waited for. What takes too long is answered without it, and goes on to its own end: a user and the account
   * that are being written belong together.
   *
   * @throws AuthError with status 503 when the time is over
   */
  for<T>(work: Promise<T>): Promise<T>
  end(): void
}

function startWait(call: AuthCall, patienceMs = PATIENCE_MS): Wait {
  const giveUp = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let hurry = () => {}
  const lastMoment = new Promise<void>((resolve) => {
    hurry = resolve
  })
  const late = new Promise<never>((_, reject) => {
    const end = () => {
      giveUp.abort()
      reject(tooLate(call, patienceMs))
    }
    timer = setTimeout(() => {
      hurry()
      timer = setTimeout(end, LAST_MOMENT_MS)
    }, patienceMs - LAST_MOMENT_MS)
  })
  // Nobody may be waiting when the time is over.
  late.catch(() => {})
  return {
    signal: giveUp.signal,
    lastMoment,
    for: (work) => Promise.race([work, late]),
    end: () => clearTimeout(timer),
  }
}

function tooLate({ action, method, providerId }: AuthCall, patienceMs: number): AuthError {
  const what = `${method} ${action}${providerId === undefined ? "" : `/${providerId}`}`
  const why = "the store, or a callback or an event of the application, is slow"
  const error = new AuthError(`${what} was not answered within ${patienceMs / 1000} s: ${why}`)
  return coded("answer-too-late", Object.assign(error, { status: 503 }))
}

/**
 * The route of a call.
 *
 * @throws the call's problem, UntrustedHost, what is wrong with the configuration, or UnknownAction with the methods
 * that there are
 */
function findRoute(call: AuthCall, runtime: Runtime): Route {
  if (call.problem) throw call.problem
  // The page that says what is wrong wants its style sheet too.
  if (call.action !== "assets") requireServable(call, runtime)
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

/** Nothing else is served to a host that is not ours, or with a configuration that is wrong. */
function requireServable(call: AuthCall, runtime: Runtime): void {
  requireTrustedHost(call.url.origin + call.url.pathname, runtime.config)
  const [problem] = runtime.problems
  if (problem) throw misconfigured(problem)
}

function misconfigured(problem: ConfigProblem): AuthError {
  const { type, code, path, message } = problem
  const text = `${path} ${message}`
  const error = type === "ConfigurationError" ? new ConfigurationError([problem], text) : errorOfType(type, text)
  return coded(code, Object.assign(error, { cause: toCause({ option: path }) }))
}

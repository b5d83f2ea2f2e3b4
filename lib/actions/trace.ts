/**
 * Traces the start and end of a call: the request, a failure, and the response.
 *
 * @module
 */

import { type AuthError, isError } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { toOutgoing } from "../http/cookies.js"
import type { Reply } from "../http/reply.js"
import { redact } from "../logging/redact.js"
import { redactForTrace, SignInTrace } from "../logging/trace.js"
import type { ActionRuntime } from "./action.js"

/** True if the call is a step of a sign-in. */
const isSignInStep = ({ action, method }: AuthCall): boolean =>
  action === "callback" || action === "webauthn-options" || (action === "signin" && method === "POST")

const requestText = (call: AuthCall): string =>
  `${call.method} ${call.url.pathname} at ${call.origin}, ${describeCookies(call)}`

/** If debug output is enabled, starts a trace for a call that is a step of a sign-in, and traces the request. */
export function startTrace(call: AuthCall, { logger, keys }: ActionRuntime): AuthCall {
  if (!logger.isDebugging || !isSignInStep(call)) return call
  const trace = new SignInTrace(logger, keys.secrets[0] ?? "")
  trace.write("request", requestText(call))
  return { ...call, trace }
}

/**
 * Lists the names of this package's cookies. Cookies whose names differ only in the suffix, such as the chunks of a
 * session, are listed once with their number.
 */
function describeCookies({ cookies, cookieSet }: AuthCall): string {
  const names = Object.keys(cookies)
  const ours = Object.values(cookieSet).flatMap(({ name }) => {
    const parts = names.filter((sent) => sent === name || sent.startsWith(`${name}.`)).length
    return parts === 0 ? [] : [parts === 1 ? name : `${name} in ${parts} parts`]
  })
  const others = names.length === 0 ? "without cookies" : `with ${names.length} cookies, none of them from this package`
  return ours.length === 0 ? others : `with the cookies ${ours.join(", ")}`
}

/** Traces an error with the details of its log record. */
export function traceFailure({ type, message, cause }: AuthError, { trace }: AuthCall): void {
  if (!trace) return
  const { err, ...facts } = { ...cause }
  const originalError = isError(err) ? ` (${err.name}: ${err.message})` : ""
  trace.write("request", `failed with ${type}: ${message}${originalError} ${JSON.stringify(redact(facts))}`)
}

/** Traces the response. Calls outside a sign-in get one line with request and response. */
export function traceReply(reply: Reply, call: AuthCall, { logger }: ActionRuntime): void {
  // Requests for static files are not traced, because they would hide the other lines.
  if (!logger.isDebugging || call.action === "assets") return
  const outcome = `answered ${reply.status}${describeLocation(reply, call)}${describeCookieChanges(reply, call)}`
  if (call.trace) call.trace.write("request", outcome)
  else logger.debug("request", redactForTrace(`${requestText(call)}: ${outcome}`))
}

/**
 * Describes the target of a redirect, without its query, which may contain secrets. `URL.origin` is "null" for the
 * scheme of a mobile app, so the text contains protocol and host.
 */
function describeLocation({ continueUrl, location = continueUrl }: Reply, { origin }: AuthCall): string {
  if (location === undefined) return ""
  const { protocol, host, pathname, searchParams } = new URL(location, origin)
  const site = `${protocol}//${host}`
  const error = searchParams.get("error")
  return `, going to ${site === origin ? "" : site}${pathname}${error ? ` with error=${error}` : ""}`
}

function describeCookieChanges({ cookies }: Reply, { cookieSet }: AuthCall): string {
  const changes = toOutgoing(cookies, cookieSet).map(({ name, value, options }) =>
    options.maxAge === 0 ? `clears ${name}` : `sets ${name} (${value.length} characters)`,
  )
  return changes.length === 0 ? "" : `; ${changes.join(", ")}`
}

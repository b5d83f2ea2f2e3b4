/**
 * Where a story begins and ends: what came in, what failed, and what the answer was.
 *
 * @module
 */
import { type AuthError, isError } from "../errors.js"
import type { AuthCall } from "../http/call.js"
import { toOutgoing } from "../http/cookies.js"
import type { Reply } from "../http/reply.js"
import { redact } from "../redact.js"
import type { Runtime } from "../runtime.js"
import { Story, tellable } from "../story.js"

/** Is the call a step of somebody's sign-in? */
const isStep = ({ action, method }: AuthCall): boolean =>
  action === "callback" || action === "webauthn-options" || (action === "signin" && method === "POST")

const requestText = (call: AuthCall): string =>
  `${call.method} ${call.url.pathname} at ${call.origin}, with ${sentCookies(call)}`

/** The call with its part of a sign-in's story, where anybody listens. */
export function beginStory(call: AuthCall, { logger, keys }: Runtime): AuthCall {
  if (!logger.isDebugging || !isStep(call)) return call
  const story = new Story(logger, keys.secrets[0] ?? "")
  story.tell("request", requestText(call))
  return { ...call, story }
}

/** Names alone; of attempts under way, which have a name each, how many there are. */
function sentCookies({ cookies, cookieSet }: AuthCall): string {
  const names = Object.keys(cookies)
  const ours = Object.values(cookieSet).flatMap(({ name }) => {
    const parts = names.filter((one) => one === name || one.startsWith(`${name}.`)).length
    return parts === 0 ? [] : [parts === 1 ? name : `${name} in ${parts} parts`]
  })
  const others = names.length === 0 ? "no cookies at all" : `none of our cookies among ${names.length}`
  return ours.length === 0 ? others : `the cookies ${ours.join(", ")}`
}

/** As it stands in the log. */
export function tellFailure({ type, message, cause }: AuthError, { story }: AuthCall): void {
  if (!story) return
  const { err, ...facts } = { ...cause }
  const behind = isError(err) ? ` (${err.name}: ${err.message})` : ""
  story.tell("request", `failed with ${type}: ${message}${behind} ${JSON.stringify(redact(facts))}`)
}

/** The end of the story's part; every other call has a line of its own. */
export function tellReply(reply: Reply, call: AuthCall, { logger }: Runtime): void {
  // Files of the pages are many and tell nothing.
  if (!logger.isDebugging || call.action === "assets") return
  const answered = `answered ${reply.status}${where(reply, call)}${changedCookies(reply, call)}`
  if (call.story) call.story.tell("request", answered)
  else logger.debug("request", tellable(`${requestText(call)}: ${answered}`))
}

/** Without the query: it has what nobody else may know. An application of a phone has a scheme of its own. */
function where({ continueUrl, location = continueUrl }: Reply, { origin }: AuthCall): string {
  if (location === undefined) return ""
  const { protocol, host, pathname, searchParams } = new URL(location, origin)
  const site = `${protocol}//${host}`
  const shown = searchParams.get("error")
  return `, going to ${site === origin ? "" : site}${pathname}${shown ? ` with error=${shown}` : ""}`
}

function changedCookies({ cookies }: Reply, { cookieSet }: AuthCall): string {
  const changes = toOutgoing(cookies, cookieSet).map(({ name, value, options }) =>
    options.maxAge === 0 ? `clears ${name}` : `sets ${name} (${value.length} characters)`,
  )
  return changes.length === 0 ? "" : `; ${changes.join(", ")}`
}

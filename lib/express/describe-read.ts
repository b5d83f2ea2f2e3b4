import type { Session } from "../base/types.js"
import { type CookieSet, chunkNames, parseCookies } from "../http/cookies.js"
import { redactForTrace } from "../logging/trace.js"
import { fullPath, type NodeRequest } from "./node.js"

/** Returns the line that debug output has for a session read: the session's expiry, or why there is no session. */
export function describeRead(req: NodeRequest, session: Session | null, { sessionToken }: CookieSet): string {
  const result = session
    ? `a session, valid until ${session.expires}`
    : `no session: ${describeReason(req, sessionToken.name)}`
  return redactForTrace(`${req.method} ${fullPath(req)}: ${result}`)
}

function describeReason({ headers }: NodeRequest, name: string): string {
  const cookies = parseCookies(headers.cookie)
  const present = chunkNames(cookies, name)
  if (present.length > 0) return `${present.join(", ")} is invalid or expired`
  return `${name} is not among the browser's ${Object.keys(cookies).length} cookies`
}

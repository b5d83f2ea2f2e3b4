import type { Session } from "../base/types.js"
import { type CookieSet, chunkNames, parseCookies } from "../http/cookies.js"
import { redactForTrace } from "../logging/trace.js"
import { fullPath, type NodeRequest } from "./node.js"

/** The debug output for a session read: its expiry, or the reason why there is no session. */
export function describeRead(req: NodeRequest, session: Session | null, { sessionToken }: CookieSet): string {
  const result = session ? `a session, valid until ${session.expires}` : `no session: ${reason(req, sessionToken.name)}`
  return redactForTrace(`${req.method} ${fullPath(req)}: ${result}`)
}

function reason({ headers }: NodeRequest, name: string): string {
  const cookies = parseCookies(headers.cookie)
  const present = chunkNames(cookies, name)
  if (present.length > 0) return `${present.join(", ")} is invalid or expired`
  return `${name} is not among the browser's ${Object.keys(cookies).length} cookies`
}

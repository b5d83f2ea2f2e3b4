import { type CookieSet, chunkNames, parseCookies } from "../http/cookies.js"
import { tellable } from "../story.js"
import type { Session } from "../types.js"
import { fullPath, type NodeRequest } from "./node.js"

/** What debug output has of a session that was read: who is not signed in wants to know why. */
export function readText(req: NodeRequest, session: Session | null, { sessionToken }: CookieSet): string {
  const found = session ? `a session, good until ${session.expires}` : `no session, ${reason(req, sessionToken.name)}`
  return tellable(`${req.method} ${fullPath(req)}: ${found}`)
}

function reason({ headers }: NodeRequest, name: string): string {
  const cookies = parseCookies(headers.cookie)
  const present = chunkNames(cookies, name)
  if (present.length > 0) return `for what ${present.join(", ")} holds is none, or none any more`
  return `for there is no ${name} among the browser's ${Object.keys(cookies).length} cookies`
}

/**
 * How a session was opened, as text: the claim `session_origin` of a cookie session, and the store record of a database
 * session.
 *
 * @module
 */
import type { SessionOrigin } from "../base/types.js"

const escapeField = (text: string): string => text.replace(/[% ]/g, encodeURIComponent)

/** Returns "" for malformed text, which no session of this package contains. */
function unescapeField(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}

/** Formats an origin as short text, because nested claims would make every session read slower. */
export function formatOrigin(origin: SessionOrigin): string {
  const { id, owner, provider, method, amr, authTime = "", acr = "", providerSid = "" } = origin
  return [id, owner, provider, method, amr.join(), String(authTime), acr, providerSid]
    .map(escapeField)
    .join(" ")
    .trimEnd()
}

/** Parses the text of `formatOrigin`; undefined for anything else, such as a session from before origins existed. */
export function parseOrigin(text: unknown): SessionOrigin | undefined {
  if (typeof text !== "string") return undefined
  const [id, owner, provider, method, amr, authTime, acr, providerSid] = text.split(" ").map(unescapeField)
  if (!id || !owner || !provider || !method) return undefined
  return {
    ...{ id, owner, provider, method },
    amr: amr ? amr.split(",") : [],
    ...(authTime && { authTime: Number(authTime) }),
    ...(acr && { acr }),
    ...(providerSid && { providerSid }),
  }
}

/** Reads only the owner, because this runs at every session read. */
export function parseOwner(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined
  const start = text.indexOf(" ") + 1
  const end = text.indexOf(" ", start)
  return start > 0 && end > start ? unescapeField(text.slice(start, end)) || undefined : undefined
}

/**
 * The origin of a session in which the user connects another account: that of the previous session, because the user
 * did not sign in again. If that session has no origin, or one of another owner, it is unknown how the user signed in.
 */
export function continueOrigin(previous: SessionOrigin | undefined, next: SessionOrigin): SessionOrigin {
  const { id, owner, provider, method } = next
  return previous?.owner === owner ? previous : { id, owner, provider, method, amr: [] }
}

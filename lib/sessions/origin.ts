/**
 * How a session was opened, as text: the claim `session_origin` of a cookie session.
 *
 * @module
 */
import type { SessionOrigin } from "../base/types.js"
import { isSessionId } from "../security/session-id.js"

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
  if (!id || !isSessionId(id) || !owner || !provider || !method) return undefined
  return {
    ...{ id, owner, provider, method },
    amr: amr ? amr.split(",") : [],
    ...(authTime && { authTime: Number(authTime) }),
    ...(acr && { acr }),
    ...(providerSid && { providerSid }),
  }
}

/** Formats the id and the owner of a session of which it is unknown how it was opened. */
export const formatId = (id: string, owner = ""): string => [id, owner].map(escapeField).join(" ").trimEnd()

/** Returns a field without parsing the others, because this runs at every session read. */
function readField(text: string, start: number): string | undefined {
  const end = text.indexOf(" ", start)
  return unescapeField(end < 0 ? text.slice(start) : text.slice(start, end)) || undefined
}

/** Returns the session's id in the text of an origin. */
export function parseId(text: unknown): string | undefined {
  const id = typeof text === "string" ? readField(text, 0) : undefined
  return id !== undefined && isSessionId(id) ? id : undefined
}

/** Returns the owner in the text of an origin. */
export function parseOwner(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined
  const start = text.indexOf(" ") + 1
  return start > 0 ? readField(text, start) : undefined
}

/**
 * True if a second authentication took place at the provider of the first one, with the same account: the user may have
 * a new session there. A cookie does not contain the account.
 */
export const isAtSameProvider = (previous: SessionOrigin, { provider, providerSub }: SessionOrigin): boolean =>
  previous.provider === provider && (previous.providerSub === undefined || previous.providerSub === providerSub)

/**
 * The origin of a session whose user was authenticated again. The session and how it was opened stay the same. If the
 * second authentication does not state its time or context, those of the first one stay.
 */
export function mergeOrigin(previous: SessionOrigin, confirmed: SessionOrigin): SessionOrigin {
  const { amr, authTime = 0, acr, providerSid } = confirmed
  const latest = Math.max(previous.authTime ?? 0, authTime)
  return {
    ...previous,
    amr: [...new Set([...previous.amr, ...amr])],
    ...(latest > 0 && { authTime: latest }),
    ...(acr !== undefined && { acr }),
    ...(providerSid !== undefined && isAtSameProvider(previous, confirmed) && { providerSid }),
  }
}

/**
 * The origin of a session in which the user connects another account: that of the previous session, because the user
 * did not sign in again. If that session has no origin, or one of another owner, it is unknown how the user signed in.
 */
export function continueOrigin(previous: SessionOrigin | undefined, next: SessionOrigin): SessionOrigin {
  const { id, owner, provider, method } = next
  return previous?.owner === owner ? previous : { id, owner, provider, method, amr: [] }
}

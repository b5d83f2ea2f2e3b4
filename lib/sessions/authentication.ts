/**
 * Formats and parses the authentication of a session: who its user is, and where and how the user was authenticated.
 * The text is the claim `session_authentication` of an encrypted session.
 *
 * @module
 */
import type { SessionAuthentication } from "../base/types.js"
import { isSessionId } from "../security/session-id.js"

const escapeField = (text: string): string => text.replace(/[% ]/g, encodeURIComponent)

/** Returns "" for malformed text, which this package never writes. */
function unescapeField(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}

/** Formats an authentication as a short text. Nested claims would make every session read slower. */
export function formatAuthentication(authentication: SessionAuthentication): string {
  const { id, owner, provider, method, amr, authTime = "", acr = "", providerSid = "" } = authentication
  return [id, owner, provider, method, amr.join(), String(authTime), acr, providerSid]
    .map(escapeField)
    .join(" ")
    .trimEnd()
}

/**
 * Parses a text that `formatAuthentication` has returned. Returns undefined for any other value: for example, a session
 * that Auth.js created has no such text.
 */
export function parseAuthentication(text: unknown): SessionAuthentication | undefined {
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

/**
 * Formats the id and the owner of a session whose authentication is unknown. `parseId` and `parseOwner` read them from
 * the text.
 */
export const formatIdAndOwner = (id: string, owner = ""): string => [id, owner].map(escapeField).join(" ").trimEnd()

/**
 * Returns the field that begins at `start`; undefined if it is empty. The other fields are not parsed, because this
 * function runs at every session read.
 */
function readField(text: string, start: number): string | undefined {
  const end = text.indexOf(" ", start)
  return unescapeField(end < 0 ? text.slice(start) : text.slice(start, end)) || undefined
}

/**
 * Returns the session's id from a text of `formatAuthentication` or `formatIdAndOwner`; undefined if the text contains
 * no valid id.
 */
export function parseId(text: unknown): string | undefined {
  const id = typeof text === "string" ? readField(text, 0) : undefined
  return id !== undefined && isSessionId(id) ? id : undefined
}

/**
 * Returns the owner from a text of `formatAuthentication` or `formatIdAndOwner`; undefined if the text contains none.
 */
export function parseOwner(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined
  const start = text.indexOf(" ") + 1
  return start > 0 ? readField(text, start) : undefined
}

/**
 * True if the user has authenticated again at the same provider with the same account. If `previous` was parsed from a
 * cookie, it does not contain the account, so only the providers are compared.
 */
export const isAtSameProvider = (
  previous: SessionAuthentication,
  { provider, providerSub }: SessionAuthentication,
): boolean =>
  previous.provider === provider && (previous.providerSub === undefined || previous.providerSub === providerSub)

/**
 * Returns the authentication of a session after its user has authenticated again. The session's id, and the provider
 * and method that opened it, stay. `amr` is extended, and the later `authTime` is used. `acr` is replaced if the new
 * authentication states one. `providerSid` is replaced if the user authenticated at the same provider, because the
 * provider may have begun a new session.
 */
export function mergeAuthentication(
  previous: SessionAuthentication,
  reauthentication: SessionAuthentication,
): SessionAuthentication {
  const { amr, authTime = 0, acr, providerSid } = reauthentication
  const latest = Math.max(previous.authTime ?? 0, authTime)
  return {
    ...previous,
    amr: [...new Set([...previous.amr, ...amr])],
    ...(latest > 0 && { authTime: latest }),
    ...(acr !== undefined && { acr }),
    ...(providerSid !== undefined && isAtSameProvider(previous, reauthentication) && { providerSid }),
  }
}

/**
 * Returns the authentication of the session that is created when the user connects another account. The authentication
 * of the previous session is kept, because the user did not sign in again. If the previous session has none, or belongs
 * to another owner, it is unknown how the user signed in, so `amr` is empty.
 */
export function continueAuthentication(
  previous: SessionAuthentication | undefined,
  next: SessionAuthentication,
): SessionAuthentication {
  const { id, owner, provider, method } = next
  return previous?.owner === owner ? previous : { id, owner, provider, method, amr: [] }
}

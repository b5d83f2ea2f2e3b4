/**
 * Attempts under way: what was begun, sealed into a cookie of its own for each, so that several tabs can be at it at
 * once.
 *
 * @module
 */
import type { AuthCall } from "../http/call.js"
import { type CookieChange, type CookieKey, FLOW_MAX_AGE_SECONDS, MOST_CLEARED } from "../http/cookies.js"
import { isPlainObject } from "../merge.js"
import type { Runtime } from "../runtime.js"
import { readClaims, SealError, seal, unseal } from "./jwe.js"
import { sha256Base64url } from "./tokens.js"

/** One kind of attempts: under which cookie they are kept, and what their seals open for and nothing else. */
export interface AttemptKind {
  readonly cookie: CookieKey
  readonly purpose: string
}

export interface OpenedAttempt {
  readonly content: Readonly<Record<string, unknown>>
  /** Different for each attempt. */
  readonly id: string
}

const MAX_ATTEMPTS = 5
const CLAIM_MARGIN_SECONDS = 60
/** All that older ones may take of a request's headers. */
const MAX_BYTES = 3_000

/** The cookie's part, known from something that comes back with the answer. */
export const attemptPart = (known: string): string => sha256Base64url(known).slice(0, 16)

const cookieName = (call: AuthCall, kind: AttemptKind, part: string) => `${call.cookieSet[kind.cookie].name}.${part}`

function openSealed(
  value: string | undefined,
  { purpose }: AttemptKind,
  runtime: Runtime,
): (OpenedAttempt & { startedAt: number }) | undefined {
  const claims = value && readClaims(unseal(value, runtime.keys.for(purpose)), runtime.now())
  if (!claims || claims instanceof SealError) return undefined
  const { flow, iat = 0, jti = "" } = claims
  return isPlainObject(flow) ? { content: flow, startedAt: iat, id: jti } : undefined
}

/** The attempt of this part, when this browser began it and not too long ago. */
export const findAttempt = (
  kind: AttemptKind,
  part: string,
  call: AuthCall,
  runtime: Runtime,
): OpenedAttempt | undefined => openSealed(call.cookies[cookieName(call, kind, part)], kind, runtime)

/**
 * Takes an attempt: true for the first who brings it, in this process, and with a store that can tell in every process.
 * What is known here already costs the store nothing.
 */
export async function takeAttempt(
  { id }: Pick<OpenedAttempt, "id">,
  { spentFlows, adapter, now }: Pick<Runtime, "spentFlows" | "adapter" | "now">,
): Promise<boolean> {
  if (!spentFlows.claim(id)) return false
  if (!adapter?.claimOnce) return true
  // Longer than one is good that begins now: clocks of two processes may differ, and seals open a little longer.
  return adapter.claimOnce({ id, expires: new Date(now() + (FLOW_MAX_AGE_SECONDS + CLAIM_MARGIN_SECONDS) * 1000) })
}

/** Clears an attempt's cookie. */
export const dropAttempt = (kind: AttemptKind, part: string, call: AuthCall): CookieChange[] =>
  call.cookies[cookieName(call, kind, part)] === undefined ? [] : [{ drop: kind.cookie, part }]

/** Keeps a new attempt; the oldest go when there are too many, so that the headers stay small. */
export function putAttempt(
  kind: AttemptKind,
  { part, content }: { readonly part: string; readonly content: object },
  call: AuthCall,
  runtime: Runtime,
): CookieChange[] {
  const value = seal({ flow: content }, runtime.keys.for(kind.purpose), FLOW_MAX_AGE_SECONDS, runtime.now())
  const expires = new Date(runtime.now() + FLOW_MAX_AGE_SECONDS * 1000)
  return [...dropOldest(kind, value.length, call, runtime), { put: kind.cookie, part, value, expires }]
}

/** Clears those for which a new one of `newSize` leaves no room. */
function dropOldest(kind: AttemptKind, newSize: number, call: AuthCall, runtime: Runtime): CookieChange[] {
  const prefix = `${call.cookieSet[kind.cookie].name}.`
  const names = Object.keys(call.cookies).filter(
    (name) => name.startsWith(prefix) && /^[\w-]{16}$/.test(name.slice(prefix.length)),
  )
  const byAge = names
    .map((name) => ({
      part: name.slice(prefix.length),
      startedAt: openSealed(call.cookies[name], kind, runtime)?.startedAt ?? 0,
      size: call.cookies[name]?.length ?? 0,
    }))
    .sort((a, b) => b.startedAt - a.startedAt)
  const sizeOf = (attempts: typeof byAge) => attempts.reduce((sum, { size }) => sum + size, 0)
  const others = (call.cookieHeader?.length ?? 0) - sizeOf(byAge)
  const room = Math.min(MAX_BYTES, runtime.config.session.maxCookieSize - others - newSize)
  const fits = (_: unknown, i: number) => i < MAX_ATTEMPTS - 1 && sizeOf(byAge.slice(0, i + 1)) <= room
  const unfit = byAge.filter((attempt, i) => !fits(attempt, i)).slice(0, MOST_CLEARED)
  return unfit.map(({ part }) => ({ drop: kind.cookie, part }))
}

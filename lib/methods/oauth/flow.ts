/**
 * A sign-in under way: what was asked for, sealed into a cookie of its own, so that several tabs can sign in at once.
 *
 * @module
 */

import type { AuthCall } from "../../http/call.js"
import { type CookieChange, FLOW_MAX_AGE_SECONDS } from "../../http/cookies.js"
import { isPlainObject } from "../../merge.js"
import type { Runtime } from "../../runtime.js"
import { open, seal } from "../../security/jwe.js"
import { sha256Base64url } from "../../security/tokens.js"
import type { ReadyOAuth } from "./prepare.js"

export interface Flow {
  readonly provider: string
  readonly state?: string
  readonly nonce?: string
  readonly verifier?: string
  /** Seconds since the person last signed in at the provider, at most. */
  readonly maxAge?: number
  readonly callbackUrl: string
}

/** Seals of a flow open for nothing else. */
const PURPOSE = "latchkey.flow"
const MAX_FLOWS = 5
/** All that older flows may take of a request's headers: a session needs up to 12 kB of the 16 that servers accept. */
const MAX_FLOW_BYTES = 3_000

/** The cookie's part: known from the state that comes back, or from the provider where there is no state. */
export const flowId = (state: string | undefined, provider: ReadyOAuth): string =>
  sha256Base64url(state ?? `provider:${provider.id}`).slice(0, 16)

const flowCookieName = (call: AuthCall, id: string) => `${call.cookieSet.state.name}.${id}`

function openSealed(
  value: string | undefined,
  runtime: Runtime,
): { flow: Flow; startedAt: number; id: string } | undefined {
  if (!value) return undefined
  try {
    const { flow, iat = 0, jti = "" } = open(value, runtime.keys.for(PURPOSE), runtime.now())
    // Only this module seals for this purpose.
    return isPlainObject(flow) ? { flow: flow as unknown as Flow, startedAt: iat, id: jti } : undefined
  } catch {
    return undefined
  }
}

/** The flow that a callback belongs to, when this browser began it, for this provider, and not too long ago. */
export function findFlow(
  call: AuthCall,
  provider: ReadyOAuth,
  runtime: Runtime,
): { flow: Flow; id: string } | undefined {
  const state = provider.checks.has("state") ? (call.query["state"] ?? "") : undefined
  const found = openSealed(call.cookies[flowCookieName(call, flowId(state, provider))], runtime)
  return found?.flow.provider === provider.id ? found : undefined
}

/** Clears a flow's cookie. */
export function dropFlow(call: AuthCall, provider: ReadyOAuth): CookieChange[] {
  const part = flowId(provider.checks.has("state") ? (call.query["state"] ?? "") : undefined, provider)
  return call.cookies[flowCookieName(call, part)] === undefined ? [] : [{ drop: "state", part }]
}

/** Keeps a new flow; the oldest go when there are too many, so that the headers stay small. */
export function putFlow(flow: Flow, call: AuthCall, provider: ReadyOAuth, runtime: Runtime): CookieChange[] {
  const value = seal({ flow }, runtime.keys.for(PURPOSE), FLOW_MAX_AGE_SECONDS, runtime.now())
  const expires = new Date(runtime.now() + FLOW_MAX_AGE_SECONDS * 1000)
  return [...dropOldest(call, runtime), { put: "state", part: flowId(flow.state, provider), value, expires }]
}

function dropOldest(call: AuthCall, runtime: Runtime): CookieChange[] {
  const prefix = `${call.cookieSet.state.name}.`
  const names = Object.keys(call.cookies).filter(
    (name) => name.startsWith(prefix) && /^[\w-]{16}$/.test(name.slice(prefix.length)),
  )
  const byAge = names
    .map((name) => ({
      part: name.slice(prefix.length),
      startedAt: openSealed(call.cookies[name], runtime)?.startedAt ?? 0,
      size: call.cookies[name]?.length ?? 0,
    }))
    .sort((a, b) => b.startedAt - a.startedAt)
  const fits = (_: unknown, i: number) =>
    i < MAX_FLOWS - 1 && byAge.slice(0, i + 1).reduce((sum, { size }) => sum + size, 0) <= MAX_FLOW_BYTES
  return byAge.filter((flow, i) => !fits(flow, i)).map(({ part }) => ({ drop: "state", part }))
}

/**
 * Stores sign-in flows in progress in encrypted cookies. Each flow has its own cookie, so that several tabs can sign in
 * at the same time.
 *
 * @module
 */

import { isPlainObject } from "../base/merge.js"
import type { CookieChange, CookieKey } from "../base/types.js"
import type { BoundedSet } from "../cache/bounded-set.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import type { AuthCall } from "../http/call.js"
import { FLOW_MAX_AGE_SECONDS, MAX_CLEARED } from "../http/cookies.js"
import type { Store } from "../store/store.js"
import { readClaims, SealError, seal, unseal } from "./jwe.js"
import type { Keyring } from "./keys.js"
import { sha256Base64url } from "./tokens.js"

/** The part of the runtime that flows need. */
export interface FlowRuntime {
  readonly config: ResolvedConfig
  readonly keys: Keyring
  /** The ids of the sign-in flows that this process has finished. */
  readonly spentFlows: BoundedSet
  /** The store, which several processes can share; undefined if none is configured. Its errors are `AdapterError`s. */
  readonly store: Store | undefined
  readonly now: () => number
}

/** A kind of flow: the cookie that stores it, and the purpose of the keys that encrypt it. */
export interface FlowKind {
  readonly cookie: CookieKey
  readonly purpose: string
}

export interface OpenedFlow {
  readonly content: Readonly<Record<string, unknown>>
  /** Unique for each flow. */
  readonly id: string
}

/** The maximum number of flows of one kind in a browser. */
const MAX_FLOWS = 5
const SKEW_MARGIN_SECONDS = 60
/**
 * The maximum total size, in bytes, of the flows that are kept when a new flow is stored: the values of their cookies,
 * without the names.
 */
const MAX_BYTES = 3_000

/** Hashes the value that identifies a flow, such as `state`. The hash is the suffix of the flow's cookie name. */
export const hashFlowKey = (flowKey: string): string => sha256Base64url(flowKey).slice(0, 16)

const cookieName = (call: AuthCall, kind: FlowKind, part: string) => `${call.cookieSet[kind.cookie].name}.${part}`

function openSealed(
  value: string | undefined,
  { purpose }: FlowKind,
  runtime: FlowRuntime,
): (OpenedFlow & { startedAt: number }) | undefined {
  const claims = value && readClaims(unseal(value, runtime.keys.for(purpose)), runtime.now())
  if (!claims || claims instanceof SealError) return undefined
  const { flow, iat = 0, jti = "" } = claims
  return isPlainObject(flow) ? { content: flow, startedAt: iat, id: jti } : undefined
}

/**
 * Returns the flow in the cookie with this suffix; undefined if this browser did not start it, or if it has expired.
 */
export const findSealedFlow = (
  kind: FlowKind,
  part: string,
  call: AuthCall,
  runtime: FlowRuntime,
): OpenedFlow | undefined => openSealed(call.cookies[cookieName(call, kind, part)], kind, runtime)

/**
 * Marks a flow as used. Resolves to true only for its first use: in this process and, with a store, in all processes
 * that share the store.
 */
export async function consumeFlow(
  { id }: Pick<OpenedFlow, "id">,
  { spentFlows, store, now }: Pick<FlowRuntime, "spentFlows" | "store" | "now">,
): Promise<boolean> {
  if (!spentFlows.addIfAbsent(id)) return false
  if (!store) return true
  // Longer than the maximum age of a flow, because clocks may differ, and expired values are accepted for 15 seconds.
  const expires = new Date(now() + (FLOW_MAX_AGE_SECONDS + SKEW_MARGIN_SECONDS) * 1000)
  return (await store.set("once", id, { value: "", expires, ifVersion: null })) !== null
}

/** Returns the change that clears the cookie of a flow, if the browser has sent this cookie. */
export const dropSealedFlow = (kind: FlowKind, part: string, call: AuthCall): CookieChange[] =>
  call.cookies[cookieName(call, kind, part)] === undefined ? [] : [{ drop: kind.cookie, part }]

/**
 * Returns the changes that store a new flow. If the browser has too many flows, the changes also clear the oldest
 * flows, so that the request headers stay small.
 */
export function putSealedFlow(
  kind: FlowKind,
  { part, content }: { readonly part: string; readonly content: object },
  call: AuthCall,
  runtime: FlowRuntime,
): CookieChange[] {
  const value = seal({ flow: content }, runtime.keys.for(kind.purpose), FLOW_MAX_AGE_SECONDS, runtime.now())
  const expires = new Date(runtime.now() + FLOW_MAX_AGE_SECONDS * 1000)
  return [...dropOldestFlows(kind, value.length, call, runtime), { put: kind.cookie, part, value, expires }]
}

/**
 * Returns the changes that clear the oldest flows, if there is no room for them next to a new flow of `newSize` bytes.
 */
function dropOldestFlows(kind: FlowKind, newSize: number, call: AuthCall, runtime: FlowRuntime): CookieChange[] {
  const prefix = `${call.cookieSet[kind.cookie].name}.`
  const names = Object.keys(call.cookies).filter(
    (name) => name.startsWith(prefix) && /^[\w-]{16}$/.test(name.slice(prefix.length)),
  )
  const newestFirst = names
    .map((name) => ({
      part: name.slice(prefix.length),
      startedAt: openSealed(call.cookies[name], kind, runtime)?.startedAt ?? 0,
      size: call.cookies[name]?.length ?? 0,
    }))
    .sort((a, b) => b.startedAt - a.startedAt)
  const totalSize = (flows: typeof newestFirst) => flows.reduce((sum, { size }) => sum + size, 0)
  const otherSize = (call.cookieHeader?.length ?? 0) - totalSize(newestFirst)
  const room = Math.min(MAX_BYTES, runtime.config.session.maxCookieSize - otherSize - newSize)
  const fits = (i: number) => i < MAX_FLOWS - 1 && totalSize(newestFirst.slice(0, i + 1)) <= room
  const toDrop = newestFirst.filter((_, i) => !fits(i)).slice(0, MAX_CLEARED)
  return toDrop.map(({ part }) => ({ drop: kind.cookie, part }))
}

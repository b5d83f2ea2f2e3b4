/**
 * A pending sign-in at a provider, stored in a sealed cookie.
 *
 * @module
 */

import type { CookieChange } from "../../base/types.js"
import type { AuthCall } from "../../http/call.js"
import type { SignInTrace } from "../../logging/trace.js"
import {
  dropSealedFlow,
  type FlowKind,
  findSealedFlow,
  hashFlowKey,
  putSealedFlow,
} from "../../security/sealed-flows.js"
import type { MethodRuntime } from "../method.js"
import type { ReadyOAuth } from "./prepare.js"
import { redirectUri } from "./proxy.js"

export interface Flow {
  readonly provider: string
  readonly state?: string
  readonly nonce?: string
  readonly verifier?: string
  /** The requested scopes, if they differ from those of the configuration. */
  readonly scope?: string
  /** The account that has to grant access: another one is refused. */
  readonly accountId?: string
  /** The maximum age, in seconds, of the user's authentication at the provider. */
  readonly maxAge?: number
  /**
   * The current user at the start, null for none: an account must not be linked to a user who signed in since. Flows
   * from an older version of this package do not have it.
   */
  readonly userId?: string | null
  readonly callbackUrl: string
  /** True if the user has chosen to stay signed in. */
  readonly remember?: boolean
  /** True if the current user proves again who they are. */
  readonly isReauthentication?: boolean
  /** See `AuthCall.requiredQuery`. */
  readonly requiredQuery?: string
  /** The authentication contexts of which the provider must have used one. */
  readonly acrValues?: string
  /**
   * The path of the redirect URI (RFC 9700 §4.4.2): below another base path the same id may belong to another provider.
   * Flows from an older version of this package do not have it.
   */
  readonly returnPath?: string
}

const FLOWS: FlowKind = { cookie: "state", purpose: "latchkey.flow" }

/** The suffix of the cookie's name: derived from the state, or from the provider if there is no state. */
const flowId = (state: string | undefined, provider: ReadyOAuth): string =>
  hashFlowKey(state ?? `provider:${provider.id}`)

/** Identifies the flow of a trace by the state, which is returned even if the cookies are lost. */
export function identifyFlow(trace: SignInTrace | undefined, flow: Partial<Flow>, request: number): void {
  const identifier = flow.state ?? flow.verifier ?? flow.nonce
  if (identifier) trace?.identify(identifier, request)
}

/** The suffix of the cookie that belongs to a callback. */
const cookiePart = (call: AuthCall, provider: ReadyOAuth): string =>
  flowId(provider.checks.has("state") ? (call.query["state"] ?? "") : undefined, provider)

/** The path of the redirect URI. Scheme and host are left out, because they may vary behind a proxy. */
export const currentReturnPath = (call: AuthCall, provider: ReadyOAuth): string =>
  new URL(redirectUri(call, provider)).pathname

/** Finds the flow of a callback if this browser started it for this provider and it has not expired. */
export function findFlow(
  call: AuthCall,
  provider: ReadyOAuth,
  runtime: MethodRuntime,
): { flow: Flow; id: string } | undefined {
  const found = findSealedFlow(FLOWS, cookiePart(call, provider), call, runtime)
  if (!found) return undefined
  // Only this module seals for this purpose.
  const flow = found.content as unknown as Flow
  const returnPath = currentReturnPath(call, provider)
  return flow.provider === provider.id && (flow.returnPath ?? returnPath) === returnPath
    ? { flow, id: found.id }
    : undefined
}

/** True if the browser has a cookie for this flow, valid or not. */
export const hasFlowCookie = (call: AuthCall, provider: ReadyOAuth): boolean => dropFlow(call, provider).length > 0

/** Clears a flow's cookie. */
export const dropFlow = (call: AuthCall, provider: ReadyOAuth): CookieChange[] =>
  dropSealedFlow(FLOWS, cookiePart(call, provider), call)

/** Stores a new flow. */
export const putFlow = (flow: Flow, call: AuthCall, provider: ReadyOAuth, runtime: MethodRuntime): CookieChange[] =>
  putSealedFlow(FLOWS, { part: flowId(flow.state, provider), content: flow }, call, runtime)

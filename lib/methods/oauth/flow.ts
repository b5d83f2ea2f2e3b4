/**
 * Stores a sign-in in progress with a provider in a sealed cookie, from the redirect to the callback.
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
  /** The provider's id. */
  readonly provider: string
  readonly state?: string
  readonly nonce?: string
  /** The PKCE code verifier. */
  readonly verifier?: string
  /** The requested scopes, if they differ from the configured scopes. */
  readonly scope?: string
  /** The `providerAccountId` of the account that must grant access. A sign-in with another account is refused. */
  readonly accountId?: string
  /** `max_age`: the maximum time since the provider authenticated the user, in seconds. */
  readonly maxAge?: number
  /**
   * The id of the current user when the sign-in started; null without a session. The account must not be linked to a
   * user who signed in later. Undefined without an adapter, and in flows from an older version of this package.
   */
  readonly userId?: string | null
  /** The return URL. */
  readonly callbackUrl: string
  /** True if the user has chosen to stay signed in. */
  readonly remember?: boolean
  /** True if the current user re-authenticates, instead of signing in. */
  readonly isReauthentication?: boolean
  /** The requirements of the re-authentication, as a query: see `AuthCall.requiredQuery`. */
  readonly requiredQuery?: string
  /** The `acr_values` of the query that started a re-authentication. The id_token's `acr` must be one of them. */
  readonly acrValues?: string
  /**
   * The path of the redirect URI (RFC 9700 §4.4.2). Below another base path of this host, the same provider id may
   * belong to another provider. Flows from an older version of this package do not have a path.
   */
  readonly returnPath?: string
}

const FLOWS: FlowKind = { cookie: "state", purpose: "latchkey.flow" }

/** Returns the suffix of the cookie's name: a hash of the state, or of the provider's id if there is no state. */
const toCookieSuffix = (state: string | undefined, provider: ReadyOAuth): string =>
  hashFlowKey(state ?? `provider:${provider.id}`)

/**
 * Sets the flow of a trace. A flow with a state is identified by its state, because providers return the state even if
 * cookies are lost.
 */
export function identifyFlow(trace: SignInTrace | undefined, flow: Partial<Flow>, request: number): void {
  const identifier = flow.state ?? flow.verifier ?? flow.nonce
  if (identifier) trace?.identify(identifier, request)
}

/** Returns the suffix of the cookie's name for a callback. */
const callbackCookieSuffix = (call: AuthCall, provider: ReadyOAuth): string =>
  toCookieSuffix(provider.checks.has("state") ? (call.query["state"] ?? "") : undefined, provider)

/** Returns the path of the redirect URI. Scheme and host are left out, because they may vary behind a proxy. */
export const redirectUriPath = (call: AuthCall, provider: ReadyOAuth): string =>
  new URL(redirectUri(call, provider)).pathname

/** Returns the flow of a callback; undefined if this browser has no unexpired flow with this provider. */
export function findFlow(
  call: AuthCall,
  provider: ReadyOAuth,
  runtime: MethodRuntime,
): { flow: Flow; id: string } | undefined {
  const found = findSealedFlow(FLOWS, callbackCookieSuffix(call, provider), call, runtime)
  if (!found) return undefined
  // Only this module seals values for this purpose, so the content is a flow.
  const flow = found.content as unknown as Flow
  const returnPath = redirectUriPath(call, provider)
  return flow.provider === provider.id && (flow.returnPath ?? returnPath) === returnPath
    ? { flow, id: found.id }
    : undefined
}

/** True if the browser sent a cookie for this callback's flow, valid or not. */
export const hasFlowCookie = (call: AuthCall, provider: ReadyOAuth): boolean => dropFlow(call, provider).length > 0

/** Returns the cookie changes that clear the cookie of a callback's flow. Empty if there is no cookie. */
export const dropFlow = (call: AuthCall, provider: ReadyOAuth): CookieChange[] =>
  dropSealedFlow(FLOWS, callbackCookieSuffix(call, provider), call)

/** Returns the cookie changes that store a new flow. */
export const putFlow = (flow: Flow, call: AuthCall, provider: ReadyOAuth, runtime: MethodRuntime): CookieChange[] =>
  putSealedFlow(FLOWS, { part: toCookieSuffix(flow.state, provider), content: flow }, call, runtime)

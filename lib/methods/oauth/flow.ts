/**
 * A sign-in under way at a provider.
 *
 * @module
 */
import type { AuthCall } from "../../http/call.js"
import type { CookieChange } from "../../http/cookies.js"
import type { Runtime } from "../../runtime.js"
import { type AttemptKind, attemptPart, dropAttempt, findAttempt, putAttempt } from "../../security/sealed-attempts.js"
import type { Story } from "../../story.js"
import type { ReadyOAuth } from "./prepare.js"
import { redirectUriOf } from "./proxy.js"

export interface Flow {
  readonly provider: string
  readonly state?: string
  readonly nonce?: string
  readonly verifier?: string
  /** Seconds since the person last signed in at the provider, at most. */
  readonly maxAge?: number
  /**
   * Who was signed in when it began, null for nobody: an account must not land with whoever is signed in at its end. A
   * deployment's older version, whose flows are under way, does not say.
   */
  readonly userId?: string | null
  readonly callbackUrl: string
  /**
   * Where the answer is to come in (RFC 9700 §4.4.2): below another base path the same provider's id may be another
   * provider's. A deployment's older version, whose flows are under way, does not say.
   */
  readonly returnPath?: string
}

const FLOWS: AttemptKind = { cookie: "state", purpose: "latchkey.flow" }

/** The cookie's part: known from the state that comes back, or from the provider where there is no state. */
const flowId = (state: string | undefined, provider: ReadyOAuth): string =>
  attemptPart(state ?? `provider:${provider.id}`)

/** Tells which flow a request belongs to: by the state, which comes back even where the cookies do not. */
export function identifyFlow(story: Story | undefined, flow: Partial<Flow>, request: number): void {
  const known = flow.state ?? flow.verifier ?? flow.nonce
  if (known) story?.identify(known, request)
}

/** The part that a callback asks for. */
const partOf = (call: AuthCall, provider: ReadyOAuth): string =>
  flowId(provider.checks.has("state") ? (call.query["state"] ?? "") : undefined, provider)

/** The path of the redirect URI alone: of one site, whose cookies these are, scheme and host may be seen in two ways. */
export const returnPathOf = (call: AuthCall, provider: ReadyOAuth): string =>
  new URL(redirectUriOf(call, provider)).pathname

/** The flow that a callback belongs to, when this browser began it, for this provider, and not too long ago. */
export function findFlow(
  call: AuthCall,
  provider: ReadyOAuth,
  runtime: Runtime,
): { flow: Flow; id: string } | undefined {
  const found = findAttempt(FLOWS, partOf(call, provider), call, runtime)
  if (!found) return undefined
  // Only this module seals for this purpose.
  const flow = found.content as unknown as Flow
  const returnPath = returnPathOf(call, provider)
  return flow.provider === provider.id && (flow.returnPath ?? returnPath) === returnPath
    ? { flow, id: found.id }
    : undefined
}

/** Has the browser a cookie for this flow, though it does not open? */
export const hasFlowCookie = (call: AuthCall, provider: ReadyOAuth): boolean => dropFlow(call, provider).length > 0

/** Clears a flow's cookie. */
export const dropFlow = (call: AuthCall, provider: ReadyOAuth): CookieChange[] =>
  dropAttempt(FLOWS, partOf(call, provider), call)

/** Keeps a new flow. */
export const putFlow = (flow: Flow, call: AuthCall, provider: ReadyOAuth, runtime: Runtime): CookieChange[] =>
  putAttempt(FLOWS, { part: flowId(flow.state, provider), content: flow }, call, runtime)

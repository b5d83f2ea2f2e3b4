/**
 * A pending ceremony: its challenge, purpose and user, in a sealed cookie.
 *
 * @module
 */

import type { CookieChange, User } from "../../base/types.js"
import type { AuthCall } from "../../http/call.js"
import {
  dropSealedFlow,
  type FlowKind,
  findSealedFlow,
  hashFlowKey,
  putSealedFlow,
} from "../../security/sealed-flows.js"
import type { MethodRuntime } from "../method.js"

export interface Ceremony {
  readonly provider: string
  readonly action: "authenticate" | "register"
  readonly challenge: string
  /** The new user of a registration, if no user is signed in. */
  readonly user?: Omit<User, "id">
  /** The current user at the start: a passkey must not be linked to a user who signed in since. */
  readonly userId?: string
}

const CEREMONIES: FlowKind = { cookie: "webauthnChallenge", purpose: "latchkey.challenge" }

/**
 * Stores a new ceremony. Each has its own cookie, because a form and an autofill field on one page are two ceremonies.
 */
export const putCeremony = (ceremony: Ceremony, call: AuthCall, runtime: MethodRuntime): CookieChange[] =>
  putSealedFlow(CEREMONIES, { part: hashFlowKey(ceremony.challenge), content: ceremony }, call, runtime)

/** Finds the ceremony of a challenge if this browser started it. */
export function findCeremony(
  challenge: string,
  call: AuthCall,
  runtime: MethodRuntime,
): { readonly ceremony: Ceremony; readonly id: string } | undefined {
  const found = findSealedFlow(CEREMONIES, hashFlowKey(challenge), call, runtime)
  // Only this module seals for this purpose.
  return found && { ceremony: found.content as unknown as Ceremony, id: found.id }
}

export const dropCeremony = (challenge: string, call: AuthCall): CookieChange[] =>
  dropSealedFlow(CEREMONIES, hashFlowKey(challenge), call)

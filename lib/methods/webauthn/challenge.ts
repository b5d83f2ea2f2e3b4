/**
 * Stores a pending ceremony in a sealed cookie: its challenge, action and user.
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
  /** The id of the current user at the start. Compared at the end, because another user may have signed in since. */
  readonly userId?: string
}

const CEREMONIES: FlowKind = { cookie: "webauthnChallenge", purpose: "latchkey.challenge" }

/** Returns a cookie for a new ceremony. A page can have two ceremonies at once: one for the form, one for autofill. */
export const putCeremony = (ceremony: Ceremony, call: AuthCall, runtime: MethodRuntime): CookieChange[] =>
  putSealedFlow(CEREMONIES, { part: hashFlowKey(ceremony.challenge), content: ceremony }, call, runtime)

/** Finds the ceremony with this challenge. Undefined if this browser did not start it, or if it has expired. */
export function findCeremony(
  challenge: string,
  call: AuthCall,
  runtime: MethodRuntime,
): { readonly ceremony: Ceremony; readonly id: string } | undefined {
  const found = findSealedFlow(CEREMONIES, hashFlowKey(challenge), call, runtime)
  // Only this module seals for this purpose.
  return found && { ceremony: found.content as unknown as Ceremony, id: found.id }
}

/** Returns the change that clears the cookie of a ceremony. */
export const dropCeremony = (challenge: string, call: AuthCall): CookieChange[] =>
  dropSealedFlow(CEREMONIES, hashFlowKey(challenge), call)

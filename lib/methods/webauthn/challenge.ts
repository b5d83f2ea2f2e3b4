/**
 * A ceremony under way: its challenge, and for whom and what it was made.
 *
 * @module
 */
import type { AuthCall } from "../../http/call.js"
import type { CookieChange } from "../../http/cookies.js"
import type { Runtime } from "../../runtime.js"
import { type AttemptKind, attemptPart, dropAttempt, findAttempt, putAttempt } from "../../security/sealed-attempts.js"
import type { User } from "../../types.js"

export interface Ceremony {
  readonly provider: string
  readonly action: "authenticate" | "register"
  readonly challenge: string
  /** Whom a registration is for, when it is somebody new. */
  readonly user?: Omit<User, "id">
  /** Who was signed in when it began: a passkey must not land with whoever is signed in at its end. */
  readonly userId?: string
}

const CEREMONIES: AttemptKind = { cookie: "webauthnChallenge", purpose: "latchkey.challenge" }

/** Keeps a new ceremony. Each has a cookie of its own: a form and a field that fills itself in are two on one page. */
export const putCeremony = (ceremony: Ceremony, call: AuthCall, runtime: Runtime): CookieChange[] =>
  putAttempt(CEREMONIES, { part: attemptPart(ceremony.challenge), content: ceremony }, call, runtime)

/** The ceremony that a challenge belongs to, when this browser began it. */
export function findCeremony(
  challenge: string,
  call: AuthCall,
  runtime: Runtime,
): { readonly ceremony: Ceremony; readonly id: string } | undefined {
  const found = findAttempt(CEREMONIES, attemptPart(challenge), call, runtime)
  // Only this module seals for this purpose.
  return found && { ceremony: found.content as unknown as Ceremony, id: found.id }
}

export const dropCeremony = (challenge: string, call: AuthCall): CookieChange[] =>
  dropAttempt(CEREMONIES, attemptPart(challenge), call)

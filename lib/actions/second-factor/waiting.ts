/**
 * A sign-in that waits for the second factor: the challenge, or the setup if the user has none.
 *
 * @module
 */
import type { Identity } from "../../accounts/identity.js"
import { createOrigin } from "../../accounts/origin.js"
import { type FoundSignIn, findPendingSignIn } from "../../accounts/pending-sign-in.js"
import type { AuthCall } from "../../http/call.js"
import { type Reply, redirect, withCookies } from "../../http/reply.js"
import { isPasskeyAccount } from "../../methods/webauthn/manage.js"
import { type NewFactor, SECOND_FACTOR } from "../../second-factor/second-factor.js"
import type { ActionRuntime } from "../action.js"
import { continuePendingSignIn, signInPage } from "../continue-pending-sign-in.js"
import {
  AMR,
  type Context,
  checkCode,
  type Factors,
  finishSetup,
  hasFactorPasskey,
  pagePath,
  showChallenge,
  showSetup,
  withCodes,
} from "./context.js"

/** A sign-in that waits for the second factor. */
export interface WaitingSignIn {
  readonly found: FoundSignIn
  /** Undefined for a user who is not stored yet, or whose former factors this sign-in removes. */
  readonly owner: string | undefined
}

export async function findWaiting({ call, runtime }: Context): Promise<WaitingSignIn | undefined> {
  const found = await findPendingSignIn(call, runtime)
  if (found?.pending.requirement !== SECOND_FACTOR) return undefined
  const { identity, userId, isFirstVerification } = found.pending
  if (userId === undefined || isFirstVerification) return { found, owner: undefined }
  return { found, owner: createOrigin(identity, { ...identity.user, id: userId }, runtime).owner }
}

/** True if the first factor was a passkey: a passkey is then no second factor, unless the device verifies the user. */
const beganWithPasskey = ({ pending }: FoundSignIn): boolean => isPasskeyAccount(pending.identity.account)

/** How the user of a waiting sign-in can prove the second factor. Without any, the user sets an app up. */
async function findFactors({ found, owner }: WaitingSignIn, context: Context): Promise<Factors> {
  if (owner === undefined) return { hasApp: false, hasPasskey: false }
  return {
    hasApp: await context.secondFactor.isEnrolled(owner),
    hasPasskey: !beganWithPasskey(found) && (await hasFactorPasskey(owner, context)),
  }
}

const readLabel = ({ identity: { user } }: FoundSignIn["pending"]): string => user.email || user.name || ""

export async function showWaiting(waiting: WaitingSignIn, context: Context): Promise<Reply> {
  const factors = await findFactors(waiting, context)
  return factors.hasApp || factors.hasPasskey
    ? showChallenge(factors, context, { isReauthentication: false })
    : showSetup({ label: readLabel(waiting.found.pending), isSignIn: true }, context)
}

/** The identity of a user who has proved the second factor now. */
function withFactor(identity: Identity, amr: readonly string[], { now }: ActionRuntime): Identity {
  const { authentication } = identity
  return {
    ...identity,
    authentication: {
      ...authentication,
      amr: [...new Set([...(authentication?.amr ?? []), ...amr])],
      authTime: Math.floor(now() / 1000),
    },
  }
}

interface ProvedFactor {
  readonly method: "totp" | "recovery" | "passkey"
  readonly amr: readonly string[]
  readonly newFactor?: NewFactor
}

/** Continues a sign-in whose second factor was proved. Undefined if a concurrent request was first. */
function continueWaiting(
  { found }: WaitingSignIn,
  { method, amr, newFactor }: ProvedFactor,
  { call, runtime }: Pick<Context, "call" | "runtime">,
): Promise<Reply | undefined> {
  const { pending } = found
  const identity = withFactor(pending.identity, amr, runtime)
  const continued = {
    ...pending,
    identity: newFactor ? { ...identity, newFactor: newFactor.data } : identity,
    completed: { ...pending.completed, [SECOND_FACTOR]: { method } },
  }
  return continuePendingSignIn(found, continued, call, runtime)
}

export async function verifyWaiting(waiting: WaitingSignIn, context: Context): Promise<Reply> {
  const { call, runtime, secondFactor } = context
  const { owner } = waiting
  // Without an authenticator app there is no code to check: the page shows the passkey challenge or the setup.
  if (owner === undefined || !(await secondFactor.isEnrolled(owner))) return redirect(pagePath(call))
  const check = await checkCode(owner, context, {})
  if ("status" in check) return check
  const reply = await continueWaiting(waiting, { method: check.method, amr: AMR[check.method] }, context)
  if (!reply) return signInPage(call, runtime)
  const isTrusted = secondFactor.devices.days > 0 && call.body["trust"] === "true"
  return isTrusted ? withCookies([await secondFactor.devices.trust(owner, call)], reply) : reply
}

export async function enrolWaiting(waiting: WaitingSignIn, context: Context): Promise<Reply> {
  const { call, runtime } = context
  const factors = await findFactors(waiting, context)
  // A user who has a second factor must not replace it with the first factor alone.
  if (factors.hasApp || factors.hasPasskey) return redirect(pagePath(call))
  const { sealed, factor } = await finishSetup(context)
  if (!factor) return showSetup({ label: readLabel(waiting.found.pending), sealed, isSignIn: true }, context)
  const reply = await continueWaiting(waiting, { method: "totp", amr: AMR.totp, newFactor: factor }, context)
  return reply ? withCodes(factor.codes, reply, context) : signInPage(call, runtime)
}

/**
 * Continues a sign-in that waits for the second factor, if a passkey of its user was used. Undefined otherwise: the
 * passkey then signs in on its own.
 */
export async function continueWithPasskey(
  { owner: user, authentication }: Identity,
  call: AuthCall,
  runtime: ActionRuntime,
): Promise<Reply | undefined> {
  const { secondFactor } = runtime
  if (!secondFactor?.options.methods.includes("passkey") || !user) return undefined
  const waiting = await findWaiting({ call, runtime, secondFactor })
  if (!waiting?.owner || waiting.found.pending.userId !== String(user.id)) return undefined
  const proved = authentication?.amr ?? []
  if (beganWithPasskey(waiting.found) && !proved.includes("mfa")) return undefined
  const amr = [...proved, "mfa"]
  return (await continueWaiting(waiting, { method: "passkey", amr }, { call, runtime })) ?? signInPage(call, runtime)
}

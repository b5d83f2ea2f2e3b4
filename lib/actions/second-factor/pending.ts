/**
 * The second factor in a pending sign-in: the challenge, or the setup if the user has no second factor.
 *
 * @module
 */
import type { Identity } from "../../accounts/identity.js"
import { type FoundSignIn, findPendingSignIn } from "../../accounts/pending-sign-in.js"
import { createSessionAuthentication } from "../../accounts/session-authentication.js"
import type { AuthCall } from "../../http/call.js"
import { type Reply, redirect, withCookies } from "../../http/reply.js"
import { isPasskeyAccount } from "../../methods/webauthn/manage.js"
import { type NewFactor, SECOND_FACTOR } from "../../second-factor/second-factor.js"
import type { ActionRuntime } from "../action.js"
import { continuePendingSignIn, restartSignIn } from "../continue-pending-sign-in.js"
import {
  AMR,
  type Context,
  checkCode,
  type Factors,
  finishSetup,
  hasFactorPasskey,
  secondFactorPageUrl,
  showChallenge,
  showSetup,
  withRecoveryCodes,
} from "./context.js"

/** A pending sign-in whose open requirement is the second factor. */
export interface PendingSecondFactor {
  readonly found: FoundSignIn
  /** The owner of the second factor. Undefined if the user is not stored yet, or if this sign-in removes the factor. */
  readonly owner: string | undefined
}

/**
 * Finds the pending sign-in of the browser. Returns undefined if there is none, or if the sign-in waits for another
 * requirement.
 */
export async function findPendingSecondFactor({ call, runtime }: Context): Promise<PendingSecondFactor | undefined> {
  const found = await findPendingSignIn(call, runtime)
  if (found?.pending.requirement !== SECOND_FACTOR) return undefined
  const { identity, userId, isFirstVerification } = found.pending
  if (userId === undefined || isFirstVerification) return { found, owner: undefined }
  return { found, owner: createSessionAuthentication(identity, { ...identity.user, id: userId }, runtime).owner }
}

/** True if the first factor was a passkey. Another passkey is then a second factor only if its `amr` contains "mfa". */
const beganWithPasskey = ({ pending }: FoundSignIn): boolean => isPasskeyAccount(pending.identity.account)

/** Returns the second factors that the user can use. If there are none, the user must set up an app. */
async function findFactors({ found, owner }: PendingSecondFactor, context: Context): Promise<Factors> {
  if (owner === undefined) return { hasApp: false, hasPasskey: false }
  return {
    hasApp: await context.secondFactor.isEnrolled(owner),
    hasPasskey: !beganWithPasskey(found) && (await hasFactorPasskey(owner, context)),
  }
}

const readLabel = ({ identity: { user } }: FoundSignIn["pending"]): string => user.email || user.name || ""

export async function showPending(pendingFactor: PendingSecondFactor, context: Context): Promise<Reply> {
  const factors = await findFactors(pendingFactor, context)
  return factors.hasApp || factors.hasPasskey
    ? showChallenge(factors, context, { isReauthentication: false })
    : showSetup({ label: readLabel(pendingFactor.found.pending), isSignIn: true }, context)
}

/** Adds the second factor, which the user has just used, to the authentication of the identity. */
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

/** The second factor that the user has used. */
interface UsedFactor {
  readonly method: "totp" | "recovery" | "passkey"
  readonly amr: readonly string[]
  readonly newFactor?: NewFactor
}

/** Continues the sign-in with the second factor. Returns undefined if a concurrent request has already continued it. */
function continueWithFactor(
  { found }: PendingSecondFactor,
  { method, amr, newFactor }: UsedFactor,
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

export async function verifyPending(pendingFactor: PendingSecondFactor, context: Context): Promise<Reply> {
  const { call, runtime, secondFactor } = context
  const { owner } = pendingFactor
  // Without an authenticator app there is no code to check: the page shows the passkey challenge or the setup.
  if (owner === undefined || !(await secondFactor.isEnrolled(owner))) return redirect(secondFactorPageUrl(call))
  const check = await checkCode(owner, context, {})
  if ("status" in check) return check
  const reply = await continueWithFactor(pendingFactor, { method: check.method, amr: AMR[check.method] }, context)
  if (!reply) return restartSignIn(call, runtime)
  const isTrusted = secondFactor.devices.days > 0 && call.body["trust"] === "true"
  return isTrusted ? withCookies([await secondFactor.devices.trust(owner, call)], reply) : reply
}

export async function enrolPending(pendingFactor: PendingSecondFactor, context: Context): Promise<Reply> {
  const { call, runtime } = context
  const factors = await findFactors(pendingFactor, context)
  // A user who has a second factor must not be able to replace it after using only the first factor.
  if (factors.hasApp || factors.hasPasskey) return redirect(secondFactorPageUrl(call))
  const { sealed, factor } = await finishSetup(context)
  if (!factor) return showSetup({ label: readLabel(pendingFactor.found.pending), sealed, isSignIn: true }, context)
  const reply = await continueWithFactor(pendingFactor, { method: "totp", amr: AMR.totp, newFactor: factor }, context)
  return reply ? withRecoveryCodes(factor.codes, reply, context) : restartSignIn(call, runtime)
}

/**
 * Continues a sign-in that waits for the second factor, if the identity is a passkey of the same user. Returns
 * undefined otherwise, so that the passkey starts a sign-in of its own.
 */
export async function continueWithPasskey(
  { owner: user, authentication }: Identity,
  call: AuthCall,
  runtime: ActionRuntime,
): Promise<Reply | undefined> {
  const { secondFactor } = runtime
  if (!secondFactor?.options.methods.includes("passkey") || !user) return undefined
  const pendingFactor = await findPendingSecondFactor({ call, runtime, secondFactor })
  if (!pendingFactor?.owner || pendingFactor.found.pending.userId !== String(user.id)) return undefined
  const passkeyAmr = authentication?.amr ?? []
  if (beganWithPasskey(pendingFactor.found) && !passkeyAmr.includes("mfa")) return undefined
  const amr = [...passkeyAmr, "mfa"]
  return (
    (await continueWithFactor(pendingFactor, { method: "passkey", amr }, { call, runtime })) ??
    restartSignIn(call, runtime)
  )
}

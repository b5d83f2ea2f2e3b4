/**
 * Functions that the two parts of the second-factor page share: `pending.ts` for a pending sign-in, and `settings.ts`
 * for the current user.
 *
 * @module
 */
import { coded } from "../../errors/error-codes.js"
import { BadRequest, TooManyAttempts, Verification } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import { html, type Reply, redirect, withCookies } from "../../http/reply.js"
import { hasAnyPasskey } from "../../methods/webauthn/manage.js"
import { recoveryCodesProps, secondFactorProps, secondFactorSetupProps } from "../../pages/build-props.js"
import type { SecondFactorErrorParam } from "../../pages/messages.js"
import {
  type CodeCheck,
  type NewFactor,
  SECOND_FACTOR,
  type SecondFactor,
  type SubmittedCode,
} from "../../second-factor/second-factor.js"
import { pageUrl } from "../../security/redirects.js"
import type { ActionRuntime } from "../action.js"

/** The `amr` values (RFC 8176) that each method adds. A recovery code has no value of its own in RFC 8176. */
export const AMR = { totp: ["otp", "mfa"], recovery: ["mfa"] } as const

/** What the functions of the second-factor page need: the call, the runtime and the second factor. */
export interface Context {
  readonly call: AuthCall
  readonly runtime: ActionRuntime
  readonly secondFactor: SecondFactor
}

export const secondFactorPageUrl = ({ base }: AuthCall): string => `${base}/${SECOND_FACTOR}`

/** The second factors that a user can use: an authenticator app, or a passkey. */
export interface Factors {
  readonly hasApp: boolean
  readonly hasPasskey: boolean
}

/** True if the user has a passkey that can be the second factor. */
export const hasFactorPasskey = async (owner: string, { runtime, secondFactor }: Context): Promise<boolean> =>
  secondFactor.options.methods.includes("passkey") &&
  runtime.passkeyProviderId !== undefined &&
  (await hasAnyPasskey(owner, runtime))

export async function showChallenge(
  factors: Factors,
  { call, runtime, secondFactor }: Context,
  { isReauthentication }: { readonly isReauthentication: boolean },
): Promise<Reply> {
  const { methods, rememberDeviceDays } = secondFactor.options
  const facts = {
    ...factors,
    hasRecovery: factors.hasApp && methods.includes("recovery"),
    passkeyProviderId: runtime.passkeyProviderId ?? "",
    trustDays: isReauthentication ? 0 : rememberDeviceDays,
    isReauthentication,
  }
  return html(runtime.pages.render("second-factor", secondFactorProps(call, facts, runtime)))
}

interface SetupFacts {
  /** The name of the user in the authenticator app. */
  readonly label: string
  /** After a failed attempt: the sealed secret. The page shows the same secret again, unless it has expired. */
  readonly sealed?: string
  readonly isSignIn: boolean
}

export function showSetup({ label, sealed, isSignIn }: SetupFacts, { call, runtime, secondFactor }: Context): Reply {
  const issuer = secondFactor.options.issuer ?? new URL(call.origin).host
  const { secret, qrCode, sealed: setup } = secondFactor.startSetup({ issuer, label }, sealed)
  const facts = { secret, qrCode, setup, hasError: sealed !== undefined, isSignIn }
  return html(runtime.pages.render("second-factor-setup", secondFactorSetupProps(call, facts, runtime)))
}

/** Reads the submitted code. Each form sends only its own field: `code`, or `recoveryCode`. */
function readCode({ body }: AuthCall): SubmittedCode {
  const { code, recoveryCode } = body
  if (typeof recoveryCode === "string") return { recoveryCode }
  return { code: typeof code === "string" ? code : "" }
}

/**
 * Checks the submitted code. Returns the result of the check if the code is valid. If the code is wrong, logs this and
 * returns a redirect back to the page, with `params` in its query. Emits an event if a recovery code was used.
 *
 * @throws TooManyAttempts if the user has no tries left, BadRequest if recovery codes are not offered
 */
export async function checkCode(
  owner: string,
  { call, runtime, secondFactor }: Context,
  params: Readonly<Record<string, string>>,
): Promise<Reply | Extract<CodeCheck, { is: "valid" }>> {
  const submitted = readCode(call)
  if ("recoveryCode" in submitted && !secondFactor.options.methods.includes("recovery"))
    throw new BadRequest("recovery codes are not offered: the option secondFactor.methods does not include them")
  const check = await secondFactor.check(owner, submitted)
  if (check.is === "paused") {
    const error = new TooManyAttempts("too many wrong codes of the second factor")
    error.retryAfterSeconds = Math.ceil(check.retryAfterMs / 1000)
    throw error
  }
  if (check.is === "wrong") {
    runtime.logger.failure(coded("second-factor-refused", new Verification("a code of the second factor is wrong")))
    const error: SecondFactorErrorParam = "code" in submitted ? "SecondFactorCode" : "SecondFactorRecoveryCode"
    return redirect(pageUrl(secondFactorPageUrl(call), call.origin, { ...params, error }))
  }
  if (check.method === "recovery") await runtime.emit("secondFactor", { owner, change: "recovery-code-used" })
  return check
}

function showRecoveryCodes(codes: readonly string[], continueUrl: string, { call, runtime }: Context): Reply {
  return html(runtime.pages.render("recovery-codes", recoveryCodesProps(call, { codes, continueUrl }, runtime)))
}

/**
 * Returns a page that shows new recovery codes once, sets the cookies of the reply, and links to the URL to which the
 * reply redirects. Without codes, returns the reply.
 */
export const withRecoveryCodes = (codes: readonly string[], reply: Reply, context: Context): Reply =>
  codes.length > 0
    ? withCookies(reply.cookies, showRecoveryCodes(codes, reply.location ?? context.call.origin, context))
    : reply

/**
 * Checks the setup form. Returns the new second factor as `factor`; undefined if the code is wrong or the setup has
 * expired. `sealed` is the sealed secret from the form.
 */
export async function finishSetup({
  call,
  secondFactor,
}: Context): Promise<{ sealed: string; factor: NewFactor | undefined }> {
  const { setup, code } = call.body
  const sealed = typeof setup === "string" ? setup : ""
  return { sealed, factor: await secondFactor.finishSetup(sealed, typeof code === "string" ? code : "") }
}

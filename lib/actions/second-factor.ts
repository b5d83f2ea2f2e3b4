/**
 * The page of the second factor: the challenge and the setup in a sign-in that waits for it, the confirmation of the
 * current user with a code, and the settings.
 *
 * @module
 */

import { endOtherSessions } from "../accounts/end-other-sessions.js"
import type { Identity } from "../accounts/identity.js"
import { createOrigin } from "../accounts/origin.js"
import { type FoundSignIn, findParked } from "../accounts/pending-sign-in.js"
import type { CookieChange } from "../base/types.js"
import { coded } from "../errors/error-codes.js"
import { BadRequest, TooManyAttempts, UnknownAction, Verification } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect, withCookies } from "../http/reply.js"
import { hasAnyPasskey } from "../methods/webauthn/manage.js"
import {
  recoveryCodesProps,
  secondFactorProps,
  secondFactorSettingsProps,
  secondFactorSetupProps,
} from "../pages/build-props.js"
import type { SecondFactorErrorParam } from "../pages/messages.js"
import {
  type CodeCheck,
  type NewFactor,
  SECOND_FACTOR,
  type SecondFactor,
  type SubmittedCode,
} from "../second-factor/second-factor.js"
import { pageUrl } from "../security/redirects.js"
import type { RequiredAuthentication } from "../sessions/required-authentication.js"
import type { SessionRead } from "../sessions/session.js"
import type { Action, ActionRuntime } from "./action.js"
import { continueParked, signInPage } from "./continue-parked.js"
import { RECENT, requireRecentAuthentication } from "./reauthentication.js"
import { redirectToSignIn } from "./redirect-to-sign-in.js"

/** A change of an existing second factor needs it, so that a thief with the password can't remove it. */
const RECENT_WITH_FACTOR: RequiredAuthentication = { ...RECENT, factors: 2 }

/** How a factor proves the user, as RFC 8176 names it. A recovery code has no name there. */
const AMR = { totp: ["otp", "mfa"], recovery: ["mfa"] } as const

interface Context {
  readonly call: AuthCall
  readonly runtime: ActionRuntime
  readonly secondFactor: SecondFactor
}

/** A sign-in that waits for the second factor. */
interface WaitingSignIn {
  readonly found: FoundSignIn
  /** Undefined for a user who is not stored yet, or whose former factors this sign-in removes. */
  readonly owner: string | undefined
}

/** The user of the browser's session. */
interface CurrentSession extends Pick<SessionRead, "id"> {
  readonly owner: string
  readonly label: string
  readonly cookies: readonly CookieChange[]
}

const pagePath = ({ base }: AuthCall): string => `${base}/${SECOND_FACTOR}`

async function findWaiting({ call, runtime }: Context): Promise<WaitingSignIn | undefined> {
  const found = await findParked(call, runtime)
  if (found?.parked.requirement !== SECOND_FACTOR) return undefined
  const { identity, userId, isFirstVerification } = found.parked
  if (userId === undefined || isFirstVerification) return { found, owner: undefined }
  return { found, owner: createOrigin(identity, { ...identity.user, id: userId }, runtime).owner }
}

async function findSession({ call, runtime }: Context): Promise<CurrentSession | Reply> {
  const { session, cookies, id, owner } = await runtime.sessions.read(call, { mode: "read" })
  if (!session || owner === undefined) return redirectToSignIn(call, cookies)
  const { email, name } = session.user ?? {}
  return { id, owner, label: email || name || owner, cookies }
}

const isReply = (value: CurrentSession | Reply): value is Reply => "status" in value

/** How the user of a waiting sign-in can prove the second factor. Without any, the user sets an app up. */
async function findFactors(owner: string | undefined, { runtime, secondFactor }: Context) {
  if (owner === undefined) return { hasApp: false, hasPasskey: false }
  const usesPasskeys = secondFactor.options.methods.includes("passkey") && runtime.passkeyProvider !== undefined
  return {
    hasApp: await secondFactor.isEnrolled(owner),
    hasPasskey: usesPasskeys && (await hasAnyPasskey(owner, runtime)),
  }
}

async function showChallenge(
  factors: Awaited<ReturnType<typeof findFactors>>,
  { call, runtime, secondFactor }: Context,
  { isReauthentication }: { readonly isReauthentication: boolean },
): Promise<Reply> {
  const { methods, rememberDeviceDays } = secondFactor.options
  const facts = {
    ...factors,
    hasRecovery: factors.hasApp && methods.includes("recovery"),
    passkeyProvider: runtime.passkeyProvider ?? "",
    trustDays: isReauthentication ? 0 : rememberDeviceDays,
    isReauthentication,
  }
  return html(runtime.pages.render("second-factor", secondFactorProps(call, facts, runtime)))
}

interface SetupFacts {
  readonly label: string
  /** The setup that was begun before, after a wrong code. */
  readonly sealed?: string
  readonly isSignIn: boolean
}

function showSetup({ label, sealed, isSignIn }: SetupFacts, { call, runtime, secondFactor }: Context): Reply {
  const issuer = secondFactor.options.issuer ?? new URL(call.origin).host
  const { secret, qrCode, sealed: setup } = secondFactor.startSetup({ issuer, label }, sealed)
  const facts = { secret, qrCode, setup, hasError: sealed !== undefined, isSignIn }
  return html(runtime.pages.render("second-factor-setup", secondFactorSetupProps(call, facts, runtime)))
}

const readLabel = ({ identity: { user } }: FoundSignIn["parked"]): string => user.email || user.name || ""

async function showWaiting(waiting: WaitingSignIn, context: Context): Promise<Reply> {
  const factors = await findFactors(waiting.owner, context)
  return factors.hasApp || factors.hasPasskey
    ? showChallenge(factors, context, { isReauthentication: false })
    : showSetup({ label: readLabel(waiting.found.parked), isSignIn: true }, context)
}

async function showSettings({ owner }: CurrentSession, { call, runtime, secondFactor }: Context): Promise<Reply> {
  const codesLeft = await secondFactor.countRecoveryCodes(owner)
  const facts = {
    codesLeft,
    hasRecovery: secondFactor.options.methods.includes("recovery"),
    canRemove: codesLeft !== undefined && !(await isRequired(call, runtime, secondFactor)),
    hasPasskeys: runtime.passkeyProvider !== undefined,
  }
  return html(runtime.pages.render("second-factor-settings", secondFactorSettingsProps(call, facts, runtime)))
}

/** True if the application requires a second factor of the current user. */
async function isRequired(call: AuthCall, runtime: ActionRuntime, secondFactor: SecondFactor): Promise<boolean> {
  const { session } = await runtime.sessions.read(call, { mode: "peek" })
  const origin = await runtime.sessions.origin(call)
  const id = await runtime.sessions.currentUserId(call)
  const user = (id !== undefined && (await runtime.adapter?.getUser?.(id))) || { ...session?.user, id }
  return secondFactor.isRequired(user, origin ?? { provider: "", method: "", amr: [] })
}

/** What a change of the user's second factor requires of the session. */
const findRequired = async ({ owner }: CurrentSession, { secondFactor }: Context): Promise<RequiredAuthentication> =>
  (await secondFactor.isEnrolled(owner)) ? RECENT_WITH_FACTOR : RECENT

async function show(context: Context): Promise<Reply> {
  const { call, runtime, secondFactor } = context
  // HEAD must not renew the session.
  if (call.method === "HEAD") return { status: 200, cookies: [] }
  const waiting = await findWaiting(context)
  if (waiting) return showWaiting(waiting, context)
  const session = await findSession(context)
  if (isReply(session)) return session
  return withCookies(session.cookies, await showForUser(session, context))

  async function showForUser(current: CurrentSession, shown: Context): Promise<Reply> {
    const hasApp = await secondFactor.isEnrolled(current.owner)
    if (call.query["reauthenticate"] === "true" && hasApp)
      return showChallenge({ hasApp, hasPasskey: false }, shown, { isReauthentication: true })
    if (call.query["setup"] !== "true") return showSettings(current, shown)
    const callbackUrl = pageUrl(pagePath(call), call.origin, { setup: "true", callbackUrl: call.callbackUrl })
    const required = await findRequired(current, shown)
    const refused = await requireRecentAuthentication(call, runtime, { callbackUrl, required })
    return refused ?? showSetup({ label: current.label, isSignIn: false }, shown)
  }
}

/** The submitted code. An empty field of the other form is not sent. */
function readCode({ body }: AuthCall): SubmittedCode {
  const { code, recoveryCode } = body
  if (typeof recoveryCode === "string") return { recoveryCode }
  return { code: typeof code === "string" ? code : "" }
}

/**
 * Checks the submitted code. Returns a reply if it is refused.
 *
 * @throws TooManyAttempts if the user has no tries left
 */
async function checkCode(
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
    return redirect(pageUrl(pagePath(call), call.origin, { ...params, error }))
  }
  if (check.method === "recovery") await runtime.emit("secondFactor", { owner, change: "recovery-code-used" })
  return check
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
  const { parked } = found
  const identity = withFactor(parked.identity, amr, runtime)
  const continued = {
    ...parked,
    identity: newFactor ? { ...identity, newFactor: newFactor.data } : identity,
    completed: { ...parked.completed, [SECOND_FACTOR]: { method } },
  }
  return continueParked(found, continued, call, runtime)
}

async function verifyWaiting(waiting: WaitingSignIn, context: Context): Promise<Reply> {
  const { call, runtime, secondFactor } = context
  const { owner } = waiting
  // Without a second factor there is no code: the page shows the setup.
  if (owner === undefined || !(await secondFactor.isEnrolled(owner))) return redirect(pagePath(call))
  const check = await checkCode(owner, context, {})
  if ("status" in check) return check
  const reply = await continueWaiting(waiting, { method: check.method, amr: AMR[check.method] }, context)
  if (!reply) return signInPage(call, runtime)
  const isTrusted = secondFactor.devices.days > 0 && call.body["trust"] === "true"
  return isTrusted ? withCookies([await secondFactor.devices.trust(owner, call)], reply) : reply
}

/** Confirms the session of a user who has entered a code. */
async function verifyCurrent({ owner, cookies }: CurrentSession, context: Context): Promise<Reply> {
  const { callbackUrl } = context.call
  const check = await checkCode(owner, context, { reauthenticate: "true", callbackUrl })
  if ("status" in check) return withCookies(cookies, check)
  return redirect(callbackUrl, [...cookies, ...(await confirmFactor(owner, AMR[check.method], context))])
}

/** Records in the session that the second factor was proved now. */
async function confirmFactor(
  owner: string,
  amr: readonly string[],
  { call, runtime }: Context,
): Promise<readonly CookieChange[]> {
  const origin = await runtime.sessions.origin(call)
  const opened = origin ?? { id: "", owner, provider: SECOND_FACTOR, method: "credentials" }
  return runtime.sessions.confirm(call, { ...opened, owner, amr, authTime: Math.floor(runtime.now() / 1000) })
}

function showCodes(codes: readonly string[], continueUrl: string, { call, runtime }: Context): Reply {
  return html(runtime.pages.render("recovery-codes", recoveryCodesProps(call, { codes, continueUrl }, runtime)))
}

/** Shows the recovery codes of a reply's user once, and sets the reply's cookies. */
const withCodes = (codes: readonly string[], reply: Reply, context: Context): Reply =>
  codes.length > 0
    ? withCookies(reply.cookies, showCodes(codes, reply.location ?? context.call.origin, context))
    : reply

/** Reads the setup form: the sealed secret, and the first code of the app. */
async function finishSetup({
  call,
  secondFactor,
}: Context): Promise<{ sealed: string; factor: NewFactor | undefined }> {
  const { setup, code } = call.body
  const sealed = typeof setup === "string" ? setup : ""
  return { sealed, factor: await secondFactor.finishSetup(sealed, typeof code === "string" ? code : "") }
}

async function enrolWaiting(waiting: WaitingSignIn, context: Context): Promise<Reply> {
  const { call, runtime } = context
  const factors = await findFactors(waiting.owner, context)
  // Otherwise the first factor would suffice to replace the second.
  if (factors.hasApp || factors.hasPasskey) return redirect(pagePath(call))
  const { sealed, factor } = await finishSetup(context)
  if (!factor) return showSetup({ label: readLabel(waiting.found.parked), sealed, isSignIn: true }, context)
  const reply = await continueWaiting(waiting, { method: "totp", amr: AMR.totp, newFactor: factor }, context)
  return reply ? withCodes(factor.codes, reply, context) : signInPage(call, runtime)
}

async function enrolCurrent(current: CurrentSession, context: Context): Promise<Reply> {
  const { call, runtime, secondFactor } = context
  const { id, owner } = current
  const { sealed, factor } = await finishSetup(context)
  if (!factor) return showSetup({ label: current.label, sealed, isSignIn: false }, context)
  if (!(await secondFactor.enrol(owner, factor.data, { replaces: true }))) return redirect(pagePath(call))
  if (!(await isLive(current, context))) {
    await secondFactor.remove(owner)
    return redirectToSignIn(call, [])
  }
  const cookies = await confirmFactor(owner, AMR.totp, context)
  await endOtherSessions(owner, id, runtime)
  await runtime.emit("secondFactor", { owner, change: "enrolled" })
  return withCodes(factor.codes, redirect(call.callbackUrl, cookies), context)
}

/** False if the session has ended since it was read: the owner of the address may have removed what it had changed. */
async function isLive({ id }: CurrentSession, { runtime: { sessions } }: Context): Promise<boolean> {
  return !sessions.registry || id === undefined || (await sessions.registry.find(id)) !== undefined
}

async function removeCurrent({ id, owner }: CurrentSession, { call, runtime, secondFactor }: Context): Promise<Reply> {
  const isKept = await isRequired(call, runtime, secondFactor)
  if (!isKept && (await secondFactor.remove(owner))) {
    await endOtherSessions(owner, id, runtime)
    await runtime.emit("secondFactor", { owner, change: "removed" })
  }
  return redirect(pagePath(call))
}

async function renewCodes({ id, owner }: CurrentSession, context: Context): Promise<Reply> {
  const { call, runtime, secondFactor } = context
  const codes = await secondFactor.renewRecoveryCodes(owner)
  if (!codes) return redirect(pagePath(call))
  await endOtherSessions(owner, id, runtime)
  await runtime.emit("secondFactor", { owner, change: "recovery-codes-renewed" })
  return withCodes(codes, redirect(pagePath(call)), context)
}

type Change = (current: CurrentSession, context: Context) => Promise<Reply>

/** What the settings change, by the form field `do`. */
const CHANGES: ReadonlyMap<unknown, Change> = new Map([
  ["enrol", enrolCurrent],
  ["remove", removeCurrent],
  ["renew-codes", renewCodes],
])

async function change(current: CurrentSession, context: Context): Promise<Reply> {
  const { call, runtime } = context
  const run = CHANGES.get(call.body["do"])
  if (!run) throw new BadRequest('the field do must be "verify", "enrol", "remove" or "renew-codes"')
  const required = await findRequired(current, context)
  const refused = await requireRecentAuthentication(call, runtime, { callbackUrl: pagePath(call), required })
  return withCookies(current.cookies, refused ?? (await run(current, context)))
}

async function submit(context: Context): Promise<Reply> {
  const isCode = context.call.body["do"] === "verify"
  const waiting = await findWaiting(context)
  if (waiting) return isCode ? verifyWaiting(waiting, context) : enrolWaiting(waiting, context)
  const session = await findSession(context)
  if (isReply(session)) return session
  return isCode ? verifyCurrent(session, context) : change(session, context)
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
  if (!waiting?.owner || waiting.found.parked.userId !== String(user.id)) return undefined
  const amr = [...(authentication?.amr ?? []), "mfa"]
  return (await continueWaiting(waiting, { method: "passkey", amr }, { call, runtime })) ?? signInPage(call, runtime)
}

/** The second factor: GET shows the page that the visitor needs, POST proves or changes the factor. */
export const secondFactor: Action = (_, { secondFactor: factor }) => {
  if (!factor) throw new UnknownAction("there is no such action", { action: SECOND_FACTOR })
  const guards = { needsCsrf: false, issuesCsrfToken: true, hasCallbackUrl: true, ignoresStoredUrl: true }
  return {
    GET: { guards, handle: (call, runtime) => show({ call, runtime, secondFactor: factor }) },
    POST: {
      guards: { ...guards, needsCsrf: true },
      handle: (call, runtime) => submit({ call, runtime, secondFactor: factor }),
    },
  }
}

/**
 * The second factor of the current user: the settings, and re-authentication with a code.
 *
 * @module
 */
import { endOtherSessions } from "../../accounts/end-other-sessions.js"
import type { CookieChange } from "../../base/types.js"
import { BadRequest } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import { html, type Reply, redirect, withCookies } from "../../http/reply.js"
import { secondFactorSettingsProps } from "../../pages/build-props.js"
import { SECOND_FACTOR, type SecondFactor } from "../../second-factor/second-factor.js"
import { pageUrl } from "../../security/redirects.js"
import type { RequiredAuthentication } from "../../sessions/required-authentication.js"
import type { SessionRead } from "../../sessions/session.js"
import type { ActionRuntime } from "../action.js"
import { RECENT_AUTHENTICATION, requireRecentAuthentication } from "../reauthentication.js"
import { redirectToSignIn } from "../redirect-to-sign-in.js"
import {
  AMR,
  type Context,
  checkCode,
  finishSetup,
  hasFactorPasskey,
  secondFactorPageUrl,
  showChallenge,
  showSetup,
  withRecoveryCodes,
} from "./context.js"

/** Changing an existing second factor requires two factors, so that the password alone does not suffice. */
const RECENT_WITH_TWO_FACTORS: RequiredAuthentication = { ...RECENT_AUTHENTICATION, factors: 2 }

/** The browser's session and its user. */
interface CurrentSession extends Pick<SessionRead, "id"> {
  readonly owner: string
  /** The name of the user in the authenticator app. */
  readonly label: string
  readonly cookies: readonly CookieChange[]
}

/** Returns the session of the browser. Without a session, or if its owner is unknown, redirects to the sign-in page. */
export async function findSession({ call, runtime }: Context): Promise<CurrentSession | Reply> {
  const { session, cookies, id, owner } = await runtime.sessions.read(call, { mode: "read" })
  if (!session || owner === undefined) return redirectToSignIn(call, cookies)
  const { email, name } = session.user ?? {}
  return { id, owner, label: email || name || owner, cookies }
}

export const isReply = (value: CurrentSession | Reply): value is Reply => "status" in value

async function showSettings({ owner }: CurrentSession, { call, runtime, secondFactor }: Context): Promise<Reply> {
  const codesLeft = await secondFactor.countRecoveryCodes(owner)
  const facts = {
    codesLeft,
    hasRecovery: secondFactor.options.methods.includes("recovery"),
    canRemove: codesLeft !== undefined && !(await isRequired(call, runtime, secondFactor)),
    linksToPasskeys: runtime.passkeyProviderId !== undefined,
  }
  return html(runtime.pages.render("second-factor-settings", secondFactorSettingsProps(call, facts, runtime)))
}

/** True if the current user must have a second factor, because the application requires one. */
async function isRequired(call: AuthCall, runtime: ActionRuntime, secondFactor: SecondFactor): Promise<boolean> {
  const { session } = await runtime.sessions.read(call, { mode: "peek" })
  const authentication = await runtime.sessions.authentication(call)
  const id = await runtime.sessions.currentUserId(call)
  const user = (id !== undefined && (await runtime.adapter?.getUser?.(id))) || { ...session?.user, id }
  return secondFactor.isRequired(user, authentication ?? { provider: "", method: "", amr: [] })
}

/** Returns the authentication that is required to change the user's second factor. */
async function findRequired({ owner }: CurrentSession, context: Context): Promise<RequiredAuthentication> {
  const hasFactor = (await context.secondFactor.isEnrolled(owner)) || (await hasFactorPasskey(owner, context))
  return hasFactor ? RECENT_WITH_TWO_FACTORS : RECENT_AUTHENTICATION
}

/**
 * Shows the challenge, the setup or the settings, depending on the query. Before the setup, redirects to the page for
 * re-authentication if the session does not have the required authentication.
 */
export async function showCurrent(current: CurrentSession, context: Context): Promise<Reply> {
  const { call, runtime, secondFactor } = context
  const hasApp = await secondFactor.isEnrolled(current.owner)
  if (call.query["reauthenticate"] === "true" && hasApp)
    return showChallenge({ hasApp, hasPasskey: false }, context, { isReauthentication: true })
  if (call.query["setup"] !== "true") return showSettings(current, context)
  const callbackUrl = pageUrl(secondFactorPageUrl(call), call.origin, { setup: "true", callbackUrl: call.callbackUrl })
  const required = await findRequired(current, context)
  const refused = await requireRecentAuthentication(call, runtime, { callbackUrl, required })
  return refused ?? showSetup({ label: current.label, isSignIn: false }, context)
}

/** Checks a code that the current user has entered. A valid code is recorded in the session as a re-authentication. */
export async function verifyCurrent({ owner, cookies }: CurrentSession, context: Context): Promise<Reply> {
  const { callbackUrl } = context.call
  const check = await checkCode(owner, context, { reauthenticate: "true", callbackUrl })
  if ("status" in check) return withCookies(cookies, check)
  return redirect(callbackUrl, [...cookies, ...(await recordFactorUse(owner, AMR[check.method], context))])
}

/** Records in the session that the user has just used the second factor. Returns the cookie changes. */
async function recordFactorUse(
  owner: string,
  amr: readonly string[],
  { call, runtime }: Context,
): Promise<readonly CookieChange[]> {
  const authentication = await runtime.sessions.authentication(call)
  const sessionAuthentication = authentication ?? { id: "", owner, provider: SECOND_FACTOR, method: "credentials" }
  return runtime.sessions.recordReauthentication(call, {
    ...sessionAuthentication,
    owner,
    amr,
    authTime: Math.floor(runtime.now() / 1000),
  })
}

async function enrolCurrent(current: CurrentSession, context: Context): Promise<Reply> {
  const { call, runtime, secondFactor } = context
  const { id, owner } = current
  const { sealed, factor } = await finishSetup(context)
  if (!factor) return showSetup({ label: current.label, sealed, isSignIn: false }, context)
  const restore = await secondFactor.replace(owner, factor.data)
  if (!restore) return redirect(secondFactorPageUrl(call))
  if (!(await isLive(current, context))) {
    await restore()
    return redirectToSignIn(call, [])
  }
  const cookies = await recordFactorUse(owner, AMR.totp, context)
  await endOtherSessions(owner, id, runtime)
  await runtime.emit("secondFactor", { owner, change: "enrolled" })
  return withRecoveryCodes(factor.codes, redirect(call.callbackUrl, cookies), context)
}

/**
 * False if the session has ended after this request read it. For example, the owner of the email address may have
 * verified the address for the first time, which ends all sessions of the user. An attacker may then have set up the new
 * second factor, so the caller undoes the change.
 */
async function isLive({ id }: CurrentSession, { runtime: { sessions } }: Context): Promise<boolean> {
  return !sessions.registry || id === undefined || (await sessions.registry.find(id)) !== undefined
}

async function removeCurrent({ id, owner }: CurrentSession, { call, runtime, secondFactor }: Context): Promise<Reply> {
  const isStillRequired = await isRequired(call, runtime, secondFactor)
  if (!isStillRequired && (await secondFactor.remove(owner))) {
    await endOtherSessions(owner, id, runtime)
    await runtime.emit("secondFactor", { owner, change: "removed" })
  }
  return redirect(secondFactorPageUrl(call))
}

async function renewCodes({ id, owner }: CurrentSession, context: Context): Promise<Reply> {
  const { call, runtime, secondFactor } = context
  const codes = await secondFactor.renewRecoveryCodes(owner)
  if (!codes) return redirect(secondFactorPageUrl(call))
  await endOtherSessions(owner, id, runtime)
  await runtime.emit("secondFactor", { owner, change: "recovery-codes-renewed" })
  return withRecoveryCodes(codes, redirect(secondFactorPageUrl(call)), context)
}

type Change = (current: CurrentSession, context: Context) => Promise<Reply>

/** The changes, by the value of the form field `do`. */
const CHANGES: ReadonlyMap<unknown, Change> = new Map([
  ["enrol", enrolCurrent],
  ["remove", removeCurrent],
  ["renew-codes", renewCodes],
])

/** Changes the second factor as the form field `do` states, if the user was authenticated recently. */
export async function change(current: CurrentSession, context: Context): Promise<Reply> {
  const { call, runtime } = context
  const run = CHANGES.get(call.body["do"])
  if (!run) throw new BadRequest('the form field "do" must be "verify", "enrol", "remove" or "renew-codes"')
  const required = await findRequired(current, context)
  const refused = await requireRecentAuthentication(call, runtime, {
    callbackUrl: secondFactorPageUrl(call),
    required,
  })
  return withCookies(current.cookies, refused ?? (await run(current, context)))
}

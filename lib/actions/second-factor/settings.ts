/**
 * The second factor of the current user: the settings, and the confirmation of the session with a code.
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
import { RECENT, requireRecentAuthentication } from "../reauthentication.js"
import { redirectToSignIn } from "../redirect-to-sign-in.js"
import {
  AMR,
  type Context,
  checkCode,
  finishSetup,
  hasFactorPasskey,
  pagePath,
  showChallenge,
  showSetup,
  withCodes,
} from "./context.js"

/** A change of an existing second factor needs it, so that a thief with the password can't remove it. */
const RECENT_WITH_FACTOR: RequiredAuthentication = { ...RECENT, factors: 2 }

/** The user of the browser's session. */
interface CurrentSession extends Pick<SessionRead, "id"> {
  readonly owner: string
  readonly label: string
  readonly cookies: readonly CookieChange[]
}

/** Finds the session of the browser. Without one, returns the redirect to the sign-in page. */
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
async function findRequired({ owner }: CurrentSession, context: Context): Promise<RequiredAuthentication> {
  const hasFactor = (await context.secondFactor.isEnrolled(owner)) || (await hasFactorPasskey(owner, context))
  return hasFactor ? RECENT_WITH_FACTOR : RECENT
}

/** Shows the challenge, the setup or the settings, as the query asks. */
export async function showCurrent(current: CurrentSession, context: Context): Promise<Reply> {
  const { call, runtime, secondFactor } = context
  const hasApp = await secondFactor.isEnrolled(current.owner)
  if (call.query["reauthenticate"] === "true" && hasApp)
    return showChallenge({ hasApp, hasPasskey: false }, context, { isReauthentication: true })
  if (call.query["setup"] !== "true") return showSettings(current, context)
  const callbackUrl = pageUrl(pagePath(call), call.origin, { setup: "true", callbackUrl: call.callbackUrl })
  const required = await findRequired(current, context)
  const refused = await requireRecentAuthentication(call, runtime, { callbackUrl, required })
  return refused ?? showSetup({ label: current.label, isSignIn: false }, context)
}

/** Confirms the session of a user who has entered a code. */
export async function verifyCurrent({ owner, cookies }: CurrentSession, context: Context): Promise<Reply> {
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

/** Changes the second factor as the form asks. */
export async function change(current: CurrentSession, context: Context): Promise<Reply> {
  const { call, runtime } = context
  const run = CHANGES.get(call.body["do"])
  if (!run) throw new BadRequest('the field do must be "verify", "enrol", "remove" or "renew-codes"')
  const required = await findRequired(current, context)
  const refused = await requireRecentAuthentication(call, runtime, { callbackUrl: pagePath(call), required })
  return withCookies(current.cookies, refused ?? (await run(current, context)))
}

import { randomUUID } from "node:crypto"
import { accountAdapter } from "../../accounts/account-adapter.js"
import { findByEmail } from "../../accounts/find-by-email.js"
import { runSignInCallback } from "../../accounts/run-sign-in-callback.js"
import type { AdapterUser } from "../../adapters/adapter.js"
import type { Account } from "../../base/types.js"
import { AccessDenied, asError, EmailSendError, TooManyAttempts } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import { type Reply, redirect } from "../../http/reply.js"
import type { CodeErrorParam } from "../../pages/messages.js"
import type { Limits } from "../../security/limits.js"
import { raceWith } from "../../security/outbound.js"
import type { LimitName } from "../../security/rate-limit.js"
import { pageUrl } from "../../security/redirects.js"
import type { MethodRuntime } from "../method.js"
import { readAddress, toIdentifier } from "./address.js"
import { CODE_MAX_AGE_SECONDS, formatCode } from "./code.js"
import { createLink, type Link, linkAdapter } from "./link.js"
import { sealLinkState } from "./link-state.js"
import type { ReadyEmail } from "./prepare.js"
import {
  createDecoyCookie,
  createRequestCookie,
  findEarlierRequest,
  fingerprint,
  isJustSent,
  isKnownBrowser,
  keepRequestCookie,
} from "./requesting-browser.js"
import { senderError } from "./sender-error.js"

/** Returns the mailbox of an address, without a "+tag" and dots before the "@", which many services ignore. */
function toMailbox(identifier: string): string {
  const at = identifier.lastIndexOf("@")
  // `normalizeIdentifier` may return an identifier that is not an email address.
  if (at < 0) return identifier
  const [local = ""] = identifier.slice(0, at).split(/(?<=.)\+/, 1)
  return `${local.replaceAll(".", "")}${identifier.slice(at)}`
}

/** Counts an email for each limit. Stops at the first exceeded limit and returns its name; undefined without one. */
async function findReachedLimit(identifier: string, call: AuthCall, limits: Limits) {
  const counts: [LimitName, () => Promise<number | undefined>][] = [
    ["emailsPerClient", () => limits.countClient("emailsPerClient", call.clientAddress)],
    ["emailsPerAddress", () => limits.count("emailsPerAddress", identifier)],
    ["emailsPerMailbox", () => limits.count("emailsPerMailbox", toMailbox(identifier))],
  ]
  for (const [name, count] of counts) if ((await count()) !== undefined) return name
  return undefined
}

/**
 * Counts an email. Returns true if the email may be sent. Otherwise logs the limit, because the response does not show
 * that no email was sent.
 */
async function checkEmailLimits(identifier: string, call: AuthCall, provider: ReadyEmail, runtime: MethodRuntime) {
  const { limits, logger } = runtime
  if (!limits) return true
  const reached = await findReachedLimit(identifier, call, limits)
  if (reached === undefined) return true
  // Other users can use up these limits. So the browsers in which this address has signed in have a separate limit.
  const isKnown = isKnownBrowser(identifier, call, runtime)
  if (isKnown && (await limits.count("emailsPerAddress", "known browser", identifier)) === undefined) return true
  const message = `too many sign-in emails: the limit ${reached} is reached, so no email was sent`
  logger.failure(new TooManyAttempts(message, { provider: provider.id }))
  return false
}

/** Creates a user with a provisional id and an account for an email address. */
export function newIdentity(email: string, { id: provider }: ReadyEmail) {
  const user: AdapterUser = { id: randomUUID(), email, emailVerified: null }
  const account: Account = { providerAccountId: email, userId: user.id, type: "email", provider }
  return { user, account }
}

/** Returns the URL of the page "Check your email". The page shows the error, if there is one. */
export const checkEmailUrl = ({ base }: AuthCall, { id }: ReadyEmail, error?: CodeErrorParam): string =>
  `${base}/verify-request?provider=${encodeURIComponent(id)}&type=email${error ? `&error=${error}` : ""}`

/** Why no email is sent: an earlier email was just sent, a limit is reached, or the callback refuses the address. */
type Refusal = "repeated" | "limit" | "callback"

/**
 * For each refusal, the function that returns the browser's new request cookie. A repeated request, or a request over a
 * limit, keeps the cookie of the earlier request. If the callback refuses, a decoy replaces that cookie, just as the
 * cookie of a sent email would. Otherwise, later responses would reveal which addresses the callback refuses.
 */
const REFUSAL_COOKIES: Readonly<Record<Refusal, typeof keepRequestCookie>> = {
  repeated: keepRequestCookie,
  limit: keepRequestCookie,
  callback: createDecoyCookie,
}

/**
 * Handles a request for a link: sends the link, unless the request is refused. A refused request gets the same
 * response, so that the response reveals nothing about the address.
 */
export async function start(call: AuthCall, provider: ReadyEmail, runtime: MethodRuntime): Promise<Reply> {
  const identifier = toIdentifier(readAddress(call.body), provider.options.normalizeIdentifier)
  call.trace?.write("email", `${identifier} requests a link`)
  const checkEmailPage = checkEmailUrl(call, provider)
  const outcome = await decideStart(identifier, { call, provider, runtime })
  if (outcome.refusal) {
    call.trace?.write("email", "no link is sent; the response and its timing are as if a link was sent")
    await provider.timing.wait()
    return redirect(checkEmailPage, [REFUSAL_COOKIES[outcome.refusal](identifier, call, provider, runtime)])
  }
  if (outcome.redirectTo !== undefined) return redirect(outcome.redirectTo)
  const link = await createLink(identifier, provider, runtime)
  call.trace?.identify(fingerprint(link.token, provider), 1)
  await provider.timing.measure(() => storeAndSend(link, { call, provider, runtime }))
  return redirect(checkEmailPage, [createRequestCookie(link, call, provider, runtime)])
}

interface StartContext {
  readonly call: AuthCall
  readonly provider: ReadyEmail
  readonly runtime: MethodRuntime
}

interface StartOutcome {
  readonly refusal?: Refusal
  /** The URL to which the `signIn` callback redirects the user instead of sending a link. */
  readonly redirectTo?: string | undefined
}

/** Decides whether an email is sent. The steps before the callback do not depend on whether a user has the address. */
async function decideStart(identifier: string, context: StartContext): Promise<StartOutcome> {
  const { call, provider, runtime } = context
  const earlierRequest = findEarlierRequest(identifier, call, provider, runtime)
  if (earlierRequest && isJustSent(earlierRequest, runtime)) return { refusal: "repeated" }
  if (!(await checkEmailLimits(identifier, call, provider, runtime))) return { refusal: "limit" }
  return runCallback(identifier, context)
}

/** Runs the `signIn` callback. A refusal is only logged, because an error page would reveal who may sign in. */
async function runCallback(identifier: string, { call, provider, runtime }: StartContext): Promise<StartOutcome> {
  const { adapter } = runtime
  const knownUser = adapter && (await findByEmail(identifier, accountAdapter(adapter)))
  const { user, account } = newIdentity(identifier, provider)
  const subject = knownUser ? { user: knownUser, account: { ...account, userId: knownUser.id } } : { user, account }
  try {
    const params = { ...subject, email: { verificationRequest: true } }
    return { redirectTo: await runSignInCallback(params, call, runtime) }
  } catch (error) {
    if (!(error instanceof AccessDenied)) throw error
    runtime.logger.failure(error)
    return { refusal: "callback" }
  }
}

/**
 * Deletes the stored links of the address, stores the new link, and sends it. The link is stored before it is sent, so
 * that it is valid when the email arrives. Deletes the link if sending fails, except after a timeout.
 *
 * @throws EmailSendError if the email was not sent, or not in time
 */
async function storeAndSend(link: Link, context: StartContext): Promise<void> {
  const adapter = linkAdapter(context.runtime)
  const params = senderParams(link, context)
  await adapter.deleteVerificationTokens?.(link.stored.identifier)
  await adapter.createVerificationToken(link.stored)
  const { trace } = context.call
  trace?.write("email", `the link is stored and expires in ${context.provider.maxAgeSeconds} s; sending it`)
  const { sendVerificationRequest } = context.provider.options
  // The async wrapper turns a synchronous throw into a rejection.
  const sending = (async () => sendVerificationRequest(params))()
  try {
    await raceWith(sending, params.signal)
    trace?.write("email", "sendVerificationRequest succeeded")
  } catch (error) {
    // After a timeout the email may still have been sent, so the link must stay valid.
    if (!params.signal.aborted) await revokeLink(link, context)
    throw createSendError(senderError(error, link), params.signal, context.provider)
  }
}

function senderParams(
  { token, code: text, stored: { identifier, expires } }: Link,
  { call, provider, runtime }: StartContext,
) {
  const { theme } = runtime.config
  const url = pageUrl(`${call.base}/callback/${provider.id}`, call.origin, {
    state: sealLinkState(call, provider, runtime),
    token,
    email: identifier,
  })
  const { host } = new URL(call.origin)
  const language = runtime.languages.for(call.headers.get("accept-language"))
  const code = text && formatCode(text)
  const { maxAgeSeconds, sendTimeoutMs, options } = provider
  const codeMaxAgeSeconds = Math.min(CODE_MAX_AGE_SECONDS, maxAgeSeconds)
  const mail = runtime.emails.signIn({ url, host, expires, maxAgeSeconds, code, codeMaxAgeSeconds }, language)
  const signal = AbortSignal.timeout(sendTimeoutMs)
  const request = call.toRequest()
  return { identifier, url, expires, token, code, theme, mail, signal, provider: options, request }
}

/** Deletes a link that was not sent. A failure is only logged, because the link expires anyway. */
async function revokeLink({ stored: { identifier, token } }: Link, { runtime }: StartContext): Promise<void> {
  try {
    await linkAdapter(runtime).useVerificationToken({ identifier, token })
  } catch (error) {
    runtime.logger.error(asError(error))
  }
}

function createSendError(err: Error, signal: AbortSignal, { id, sendTimeoutMs }: ReadyEmail): EmailSendError {
  const reason = signal.aborted ? `was not sent within ${sendTimeoutMs / 1000} s` : "could not be sent"
  return new EmailSendError(`the sign-in email ${reason}`, { err, provider: id })
}

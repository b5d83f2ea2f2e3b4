import { randomUUID } from "node:crypto"
import { askApplication } from "../../accounts/ask.js"
import { findByEmail } from "../../accounts/find-by-email.js"
import { accountStore } from "../../accounts/store.js"
import type { AdapterUser } from "../../adapters/adapter.js"
import { AccessDenied, asError, EmailSendError } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import { type Reply, redirect } from "../../http/reply.js"
import type { Runtime } from "../../runtime.js"
import { raceWith } from "../../security/outbound.js"
import { pageUrl } from "../../security/redirects.js"
import type { Account } from "../../types.js"
import { toIdentifier } from "./address.js"
import { markAsker, renewMark } from "./asker.js"
import { checkEmailLimits } from "./limit.js"
import { createLink, type Link, linkStore } from "./link.js"
import type { ReadyEmail } from "./prepare.js"
import { sealReturnUrl } from "./return-url.js"
import { senderError } from "./sender-error.js"

/** A user of the address, as long as none is known, with a provisional id. */
export function newIdentity(email: string, { id: provider }: ReadyEmail) {
  const user: AdapterUser = { id: randomUUID(), email, emailVerified: null }
  const account: Account = { providerAccountId: email, userId: user.id, type: "email", provider }
  return { user, account }
}

/** Sends a link. Whoever is refused, and whoever asks too often, gets the same answer: it says nothing about anybody. */
export async function start(call: AuthCall, provider: ReadyEmail, runtime: Runtime): Promise<Reply> {
  const identifier = toIdentifier(call.body["email"], provider.options.normalizeIdentifier)
  call.story?.tell("email", `${identifier} asks for a link`)
  const sent = `${call.base}/verify-request?provider=${encodeURIComponent(provider.id)}&type=email`
  const isAllowed = await checkEmailLimits(identifier, call, provider, runtime)
  const answer = isAllowed ? await ask(identifier, { call, provider, runtime }) : REFUSED
  if (answer.isRefused) {
    call.story?.tell("email", "no link is made; the answer is the same, and takes as long")
    await provider.pace.wait()
    return redirect(sent, [renewMark(identifier, call, provider, runtime)])
  }
  if (answer.elsewhere !== undefined) return redirect(answer.elsewhere)
  const link = await createLink(identifier, provider, runtime)
  call.story?.identify(link.token, 1)
  await provider.pace.measure(() => storeAndSend(link, { call, provider, runtime }))
  return redirect(sent, [markAsker(link, provider, runtime)])
}

interface Context {
  readonly call: AuthCall
  readonly provider: ReadyEmail
  readonly runtime: Runtime
}

interface Answer {
  readonly isRefused: boolean
  /** Where the application sends the person in place of a mail. */
  readonly elsewhere?: string | undefined
}

const REFUSED: Answer = { isRefused: true }

/** The application's word. That it refuses is for the log alone: an error would tell who may sign in here. */
async function ask(identifier: string, { call, provider, runtime }: Context): Promise<Answer> {
  const { adapter } = runtime
  const known = adapter && (await findByEmail(identifier, accountStore(adapter)))
  const { user, account } = newIdentity(identifier, provider)
  const person = known ? { user: known, account: { ...account, userId: known.id } } : { user, account }
  try {
    const params = { ...person, email: { verificationRequest: true } }
    return { isRefused: false, elsewhere: await askApplication(params, call, runtime) }
  } catch (error) {
    if (!(error instanceof AccessDenied)) throw error
    runtime.logger.failure(error)
    return REFUSED
  }
}

/** Stored first: a link that was sent must work. */
async function storeAndSend(link: Link, context: Context): Promise<void> {
  const store = linkStore(context.runtime)
  const params = paramsOf(link, context)
  await store.deleteVerificationTokens?.(link.stored.identifier)
  await store.createVerificationToken(link.stored)
  const { story } = context.call
  story?.tell("email", `the link is stored, good for ${context.provider.maxAgeSeconds} s; it goes to the sender`)
  const { sendVerificationRequest } = context.provider.options
  // Within an async function even what is thrown at once is a rejection.
  const sending = (async () => sendVerificationRequest(params))()
  try {
    await raceWith(sending, params.signal)
    story?.tell("email", "the sender has taken the mail")
  } catch (error) {
    // What only is late, or was cut off, may have been sent: then the link has to work.
    if (!params.signal.aborted) await takeBack(link, context)
    throw failure(senderError(error, link), params.signal, context.provider)
  }
}

function paramsOf({ token, stored: { identifier, expires } }: Link, { call, provider, runtime }: Context) {
  const { theme } = runtime.config
  const url = pageUrl(`${call.base}/callback/${provider.id}`, call.origin, {
    state: sealReturnUrl(call, provider, runtime),
    token,
    email: identifier,
  })
  const { host } = new URL(call.origin)
  const language = runtime.languages.for(call.headers.get("accept-language"))
  const mail = runtime.mails.signIn({ url, host, expires, maxAgeSeconds: provider.maxAgeSeconds }, language)
  const signal = AbortSignal.timeout(provider.sendTimeoutMs)
  return { identifier, url, expires, token, theme, mail, signal, provider: provider.options, request: call.toRequest() }
}

/** Nobody got this link. That it could not be deleted is no news beside that: it ends by itself. */
async function takeBack({ stored: { identifier, token } }: Link, { runtime }: Context): Promise<void> {
  try {
    await linkStore(runtime).useVerificationToken({ identifier, token })
  } catch (error) {
    runtime.logger.error(asError(error))
  }
}

function failure(err: Error, signal: AbortSignal, { id, sendTimeoutMs }: ReadyEmail): EmailSendError {
  const why = signal.aborted ? `was not sent within ${sendTimeoutMs / 1000} s` : "could not be sent"
  return new EmailSendError(`the sign-in mail ${why}`, { err, provider: id })
}

import type { VerificationToken } from "../../adapters/adapter.js"
import type { AuthCall } from "../../http/call.js"
import { html, type Reply } from "../../http/reply.js"
import { confirmProps } from "../../pages/build-props.js"
import type { EmailConfig } from "../../provider-kit/provider.js"
import type { Authenticated, CallbackState, MethodRuntime, PendingFlow, SignInMethod } from "../method.js"
import { identifyingValues } from "../shared/identifying-fields.js"
import { readAddress, toIdentifier } from "./address.js"
import { consumeCode, type PendingCode, refuseCode } from "./check-code.js"
import { consumeLink, type LinkParams, parseLinkParams } from "./link.js"
import { readLinkState } from "./link-state.js"
import { check, prepare, type ReadyEmail } from "./prepare.js"
import {
  findLinkRequest,
  fingerprint,
  isPrefetch,
  type LinkRequest,
  readLinkRequest,
  rememberAddress,
} from "./requesting-browser.js"
import { newIdentity, start } from "./start.js"

/** Traces that a link is opened (the second request of the flow) or confirmed (the third request), and where. */
function traceOpening({ method, trace }: AuthCall, key: string, isRequestingBrowser: boolean): void {
  if (!trace) return
  if (key) trace.identify(key, method === "POST" ? 3 : 2)
  const browser = isRequestingBrowser ? "in the browser that requested it" : "in a browser that did not request it"
  trace.write(
    "email",
    `${key ? "the link" : "a link without a token"} is ${method === "POST" ? "confirmed" : "opened"} ${browser}`,
  )
}

/** A link that the user opens or confirms. */
interface PendingLink {
  readonly link: LinkParams
  /** The request for the link; undefined if this browser did not make it. */
  readonly request: LinkRequest | undefined
}

type Pending = PendingLink | PendingCode
type State = CallbackState<ReadyEmail, Pending>

/** Finds the request for the opened link or the submitted code, with the return URL and the choices of the user. */
function resume(call: AuthCall, provider: ReadyEmail, runtime: MethodRuntime): PendingFlow<Pending> {
  const { code } = call.body
  return typeof code === "string" ? resumeCode(call, code, provider, runtime) : resumeLink(call, provider, runtime)
}

/** Continues the flow of a link. In the browser that requested the link, remembers the address in a cookie. */
function resumeLink(call: AuthCall, provider: ReadyEmail, runtime: MethodRuntime): PendingFlow<Pending> {
  const link = parseLinkParams(call)
  const request =
    call.method === "POST" || !isPrefetch(call) ? findLinkRequest(call, link, provider, runtime) : undefined
  const key = link.token && fingerprint(link.token, provider)
  traceOpening(call, key, request !== undefined)
  const cookies = request ? rememberAddress(request, call, runtime) : []
  return { pending: { link, request }, ...readLinkState(call, runtime), key, cookies }
}

/** Continues the flow of a submitted code. Changes no cookies yet: `finish` changes them if the code is correct. */
function resumeCode(
  call: AuthCall,
  submitted: string,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): PendingFlow<Pending> {
  const latest = readLinkRequest(call, runtime)
  const request = latest?.provider === provider.id ? latest : undefined
  if (request) call.trace?.identify(request.link, 2)
  call.trace?.write("email", `a code is submitted${request ? " in the browser that requested the link" : ""}`)
  const { callbackUrl, remember, isReauthentication, link: key } = { ...request }
  const state = callbackUrl && { callbackUrl, remember, isReauthentication }
  return { pending: { submitted, request }, ...state, key, cookies: [] }
}

/** Refuses a wrong code. Shows a confirmation page for a link that this browser did not request. */
async function intercept(call: AuthCall, state: State, runtime: MethodRuntime): Promise<Reply | undefined> {
  const { provider, pending } = state
  if ("submitted" in pending) return refuseCode(call, { provider, pending }, runtime)
  return askToConfirm(call, { provider, pending }, runtime)
}

/**
 * Returns the confirmation page for a link that this browser did not request. Undefined if this browser requested the
 * link, or if the user has confirmed it. The link is neither consumed nor looked up.
 */
function askToConfirm(
  call: AuthCall,
  { provider, pending: { link, request } }: CallbackState<ReadyEmail, PendingLink>,
  runtime: MethodRuntime,
): Reply | undefined {
  if (call.method === "POST" || !link.token || request) return undefined
  const shown = { ...link, account: displayableAddress(link.email, provider) }
  return html(runtime.pages.render("confirm", confirmProps(call, shown, runtime)))
}

/** Matches one word. A sentence must not match, because `normalizeIdentifier` may accept any text as an address. */
const ONE_WORD = /^\S{1,254}$/

/** Returns a link's address if it is normalised, otherwise "". An attacker's link could put any text on our page. */
function displayableAddress(email: string, { options }: ReadyEmail): string {
  try {
    return ONE_WORD.test(email) && toIdentifier(email, options.normalizeIdentifier) === email ? email : ""
  } catch {
    return ""
  }
}

/**
 * Consumes the opened link, or the link in the same email as the submitted code. Afterwards the link and its code are
 * invalid. Returns a reply if the code can't be used.
 */
function consume(
  call: AuthCall,
  { provider, pending }: State,
  runtime: MethodRuntime,
): Promise<VerificationToken | Reply> {
  if ("link" in pending) return consumeLink(pending.link, provider, runtime)
  return consumeCode(call, { provider, pending }, runtime)
}

async function finish(call: AuthCall, state: State, runtime: MethodRuntime): Promise<Authenticated | Reply> {
  const { provider, pending } = state
  const consumed = await consume(call, state, runtime)
  if (!("identifier" in consumed)) return consumed
  const { identifier } = consumed
  const used = "link" in pending ? "link" : "code"
  call.trace?.write("email", `the ${used} is valid and now consumed; it was sent to ${identifier}`)
  const authentication = { amr: ["email"], authTime: Math.floor(runtime.now() / 1000) }
  const { request } = pending
  const cookies = used === "code" && request ? rememberAddress(request, call, runtime) : []
  return { ...newIdentity(identifier, provider), authentication, isEmailLink: true, cookies }
}

/**
 * The time for rate limits and callbacks, in addition to the time limit for sending. The sum is 9.5 seconds by default,
 * because the shortest usual timeout of proxies is ten seconds.
 */
const EXTRA_TIMEOUT_MS = 1_500

/** Sign-in by email link, or by the code in the same email. */
export const emailMethod: SignInMethod<EmailConfig, ReadyEmail, Pending> = {
  check,
  prepare,
  start,
  resume,
  intercept,
  finish,
  reauthentication: {
    isPossible: ({ stored }) => Boolean(stored?.email),
    amr: () => ["email"],
  },
  needs: {
    form: "email",
    adapter: ["createVerificationToken", "useVerificationToken", "getUserByEmail", "createUser", "updateUser"],
    requiresAdapterFor: "sign-in links",
    account: "address",
    environment: ["apiKey", "from", "server"],
    verifiesEmail: true,
    formValues: (body) => identifyingValues({ email: readAddress(body) }, {}),
    callbackMethods: () => ["GET", "POST"],
    requiresCsrf: true,
    showsConfirmation: true,
    startTimeoutMs: ({ sendTimeoutMs }) => sendTimeoutMs + EXTRA_TIMEOUT_MS,
  },
}

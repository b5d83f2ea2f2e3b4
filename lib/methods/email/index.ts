import type { Identity } from "../../accounts/identity.js"
import type { AuthCall } from "../../http/call.js"
import { html, type Reply } from "../../http/reply.js"
import { confirmProps } from "../../pages/build-props.js"
import type { EmailConfig } from "../../provider-kit/provider.js"
import { identifyingValues } from "../identifying-fields.js"
import type { CallbackState, MethodRuntime, PendingFlow, SignInMethod } from "../method.js"
import { toIdentifier } from "./address.js"
import { consumeLink, type LinkParams, parseLinkParams } from "./link.js"
import { check, prepare, type ReadyEmail } from "./prepare.js"
import { findRequest, isPrefetch, rememberAddress } from "./requesting-browser.js"
import { readReturnUrl } from "./return-url.js"
import { newIdentity, start } from "./start.js"

/** The confirmation of a link is the third request of the flow. */
function traceOpening({ method, trace }: AuthCall, token: string, isKnown: boolean): void {
  if (!trace) return
  if (token) trace.identify(token, method === "POST" ? 3 : 2)
  const browser = isKnown ? "in the browser that requested it" : "in a browser that did not request it"
  trace.write(
    "email",
    `${token ? "the link" : "a link without a token"} is ${method === "POST" ? "confirmed" : "opened"} ${browser}`,
  )
}

/** A link, and whether the user opens or confirms it in the browser that requested it. */
interface PendingLink {
  readonly link: LinkParams
  readonly isRequestingBrowser: boolean
}

/** Restores the return URL, and records the address in the requesting browser. */
function resume(call: AuthCall, provider: ReadyEmail, runtime: MethodRuntime): PendingFlow<PendingLink> {
  const link = parseLinkParams(call)
  const request = call.method === "POST" || !isPrefetch(call) ? findRequest(call, link, provider, runtime) : undefined
  const isRequestingBrowser = request !== undefined
  traceOpening(call, link.token, isRequestingBrowser)
  const callbackUrl = readReturnUrl(call, runtime)
  const cookies = request ? rememberAddress(request, call, runtime) : []
  const pending = { link, isRequestingBrowser }
  return { pending, ...(callbackUrl !== undefined && { callbackUrl }), key: link.token, cookies }
}

type LinkState = CallbackState<ReadyEmail, PendingLink>

/** Shows a confirmation page if this browser did not request the link. The link is neither consumed nor looked up. */
function intercept(call: AuthCall, { provider, pending }: LinkState, runtime: MethodRuntime): Reply | undefined {
  const { link, isRequestingBrowser } = pending
  if (call.method === "POST" || !link.token || isRequestingBrowser) return undefined
  const shown = { ...link, account: displayableAddress(link.email, provider) }
  return html(runtime.pages.render("confirm", confirmProps(call, shown, runtime)))
}

/** Excludes sentences, because `normalizeIdentifier` may accept any text. */
const ONE_WORD = /^\S{1,254}$/

/** Returns the address if it is normalised, else "", so that a link cannot show an attacker's text on our page. */
function displayableAddress(email: string, { options }: ReadyEmail): string {
  try {
    return ONE_WORD.test(email) && toIdentifier(email, options.normalizeIdentifier) === email ? email : ""
  } catch {
    return ""
  }
}

async function finish(call: AuthCall, { provider, pending }: LinkState, runtime: MethodRuntime): Promise<Identity> {
  const { identifier } = await consumeLink(pending.link, provider, runtime)
  call.trace?.write("email", `the link is valid and now consumed; it was sent to ${identifier}`)
  const authentication = { amr: ["email"], authTime: Math.floor(runtime.now() / 1000) }
  return { ...newIdentity(identifier, provider), authentication, isEmailLink: true }
}

/**
 * Added to the time limit for sending, for rate limits and the callback. The sum is below ten seconds by default, the
 * shortest usual timeout of proxies.
 */
const EXTRA_TIMEOUT_MS = 1_500

/** Sign-in by email link. */
export const emailMethod: SignInMethod<EmailConfig, ReadyEmail, PendingLink> = {
  check,
  prepare,
  start,
  resume,
  intercept,
  finish,
  needs: {
    adapter: ["createVerificationToken", "useVerificationToken", "getUserByEmail", "createUser", "updateUser"],
    requiresAdapterFor: "sign-in links",
    account: "address",
    environment: ["apiKey", "from", "server"],
    verifiesEmail: true,
    formValues: ({ email }) => identifyingValues({ email }, {}),
    callbackMethods: () => ["GET", "POST"],
    requiresCsrf: true,
    showsConfirmation: true,
    startTimeoutMs: ({ sendTimeoutMs }) => sendTimeoutMs + EXTRA_TIMEOUT_MS,
  },
}

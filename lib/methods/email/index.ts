import type { AuthCall } from "../../http/call.js"
import { html, type Reply } from "../../http/reply.js"
import { confirmProps } from "../../pages/build-props.js"
import type { EmailConfig } from "../../providers/provider.js"
import type { Runtime } from "../../runtime.js"
import type { Attempt, Identity, SignInMethod } from "../method.js"
import { toIdentifier } from "./address.js"
import { isAsker, isOpenedByAsker, rememberAddress } from "./asker.js"
import { shownBy, useLink } from "./link.js"
import { check, prepare, type ReadyEmail } from "./prepare.js"
import { readReturnUrl } from "./return-url.js"
import { newIdentity, start } from "./start.js"

/** A link that is confirmed takes one request more. */
function tellOpening({ method, story }: AuthCall, token: string, isKnown: boolean): void {
  if (!story) return
  if (token) story.identify(token, method === "POST" ? 3 : 2)
  const who = isKnown ? "in the browser that asked for it" : "in a browser that did not ask for it"
  story.tell(
    "email",
    `${token ? "the link" : "a link without a token"} is ${method === "POST" ? "confirmed" : "opened"} ${who}`,
  )
}

/** Restores the return URL, and replaces the mark of the requesting browser once its link is used. */
function resume(call: AuthCall, provider: ReadyEmail, runtime: Runtime): Attempt {
  const { token } = shownBy(call)
  const uses = call.method === "POST" ? isAsker : isOpenedByAsker
  const isKnown = uses(call, token, provider, runtime)
  tellOpening(call, token, isKnown)
  const callbackUrl = readReturnUrl(call, runtime)
  return { ...(callbackUrl !== undefined && { callbackUrl }), cookies: isKnown ? rememberAddress(call, runtime) : [] }
}

/** Asks whoever opens a link that this browser did not ask for. Nothing is used up, nothing looked up. */
function intercept(call: AuthCall, provider: ReadyEmail, runtime: Runtime): Reply | undefined {
  const shown = shownBy(call)
  if (call.method === "POST" || !shown.token || isOpenedByAsker(call, shown.token, provider, runtime)) return undefined
  const link = { ...shown, account: accountOf(shown.email, provider) }
  return html(runtime.pages.render("confirm", confirmProps(call, link, runtime)))
}

/** No sentence: an application's own function may take anything for an identifier. */
const ONE_WORD = /^\S{1,254}$/

/** The address when it is one as we write it: other text in a page of ours would be somebody else's words. */
function accountOf(email: string, { options }: ReadyEmail): string {
  try {
    return ONE_WORD.test(email) && toIdentifier(email, options.normalizeIdentifier) === email ? email : ""
  } catch {
    return ""
  }
}

async function finish(call: AuthCall, provider: ReadyEmail, runtime: Runtime): Promise<Identity> {
  const { identifier } = await useLink(shownBy(call), provider, runtime)
  call.story?.tell("email", `the link is good, and used up now: it was sent to ${identifier}`)
  return { ...newIdentity(identifier, provider), provesEmail: true }
}

/** Added to the time for sending: what counting and the callback take. Proxies give up after ten seconds. */
const STORE_MS = 1_500

/** A link in a mail. */
export const emailMethod: SignInMethod<EmailConfig, ReadyEmail> = {
  check,
  prepare,
  start,
  resume,
  intercept,
  finish,
  needs: {
    adapter: ["createVerificationToken", "useVerificationToken", "getUserByEmail", "createUser", "updateUser"],
    requiresAdapter: true,
    finishBy: () => ["GET", "POST"],
    csrfOnPost: true,
    asksFirst: true,
    startPatienceMs: ({ sendTimeoutMs }) => sendTimeoutMs + STORE_MS,
  },
}

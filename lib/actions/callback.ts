import { completeSignIn } from "../accounts/sign-in.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, withCookies } from "../http/reply.js"
import { pageUrl } from "../security/redirects.js"
import { showRemoved } from "./accounts-removed.js"
import type { Action, Route } from "./action.js"
import { requireRecentAuthentication } from "./reauthentication.js"
import { renewCsrfOnSignIn } from "./renew-csrf.js"
import { findFinished, rememberFinished, replyToRepeated } from "./repeated-callback.js"
import { requireProvider } from "./require-provider.js"
import { continueWithPasskey } from "./second-factor/pending.js"

/**
 * Returns the page on which the user can try again to connect the account. After a POST from a form it is the return
 * URL of the form, and after a redirect from a provider it is the sign-in page.
 */
const connectionPage = ({ base, origin, callbackUrl, method }: AuthCall): string =>
  method === "POST" ? callbackUrl : pageUrl(`${base}/signin`, origin, { connect: "true", callbackUrl })

/**
 * Finishes a sign-in: the provider's method authenticates the user, and `completeSignIn` resolves the account and
 * creates the session.
 */
export const callback: Action = (call, runtime) => {
  const { method, provider } = requireProvider(call, runtime)
  const {
    requiresCsrf = false,
    allowsCrossSitePost = false,
    showsConfirmation = false,
    timeoutMs,
    callbackMethods,
  } = method.needs
  const routeFor = (verb: "GET" | "POST"): Route => ({
    guards: {
      needsCsrf: verb === "POST" && requiresCsrf,
      refusesCrossSite: verb === "POST" && !allowsCrossSitePost,
      issuesCsrfToken: verb === "GET" && showsConfirmation,
      hasCallbackUrl: true,
    },
    ...(timeoutMs && { timeoutMs: timeoutMs(provider) }),
    resume: (received) => method.resume?.(received, provider, runtime),
    async handle(guardedCall, _, { key, pending }): Promise<Reply> {
      // A link preview may send HEAD: it must not consume a link or a code.
      if (guardedCall.method === "HEAD") return { status: 200, cookies: [] }
      const finished = key ? findFinished(key, guardedCall, runtime) : undefined
      const repeated = verb === "GET" && finished ? await replyToRepeated(finished, guardedCall, runtime) : undefined
      if (repeated) return repeated
      const state = { provider, pending }
      const reply = await method.intercept?.(guardedCall, state, runtime)
      if (reply) return reply
      const authenticated = await method.finish(guardedCall, state, runtime)
      if (!("account" in authenticated)) return authenticated
      const { cookies = [], ...identity } = authenticated
      const stopConnection = () =>
        requireRecentAuthentication(guardedCall, runtime, { callbackUrl: connectionPage(guardedCall) })
      const continued = await continueWithPasskey(identity, guardedCall, runtime)
      if (continued) return withCookies(cookies, continued)
      const signedIn = await completeSignIn(identity, guardedCall, { runtime, stopConnection })
      const finalReply = withCookies(cookies, renewCsrfOnSignIn(showRemoved(signedIn, guardedCall, runtime), runtime))
      const { userId } = signedIn
      return finished && userId !== undefined
        ? rememberFinished(finalReply, { ...finished, userId }, guardedCall, runtime)
        : finalReply
    },
  })
  return Object.fromEntries(callbackMethods(provider).map((verb) => [verb, routeFor(verb)]))
}

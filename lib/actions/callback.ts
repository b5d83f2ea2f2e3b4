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
import { continueWithPasskey } from "./second-factor/waiting.js"

/** The page on which the user connects the account again: the form's page, or after a redirect the sign-in page. */
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
    async handle(admitted, _, { key, pending }): Promise<Reply> {
      // A link preview may send HEAD: it must not consume a link or a code.
      if (admitted.method === "HEAD") return { status: 200, cookies: [] }
      const finished = key ? findFinished(key, admitted, runtime) : undefined
      const repeated = verb === "GET" && finished ? await replyToRepeated(finished, admitted, runtime) : undefined
      if (repeated) return repeated
      const state = { provider, pending }
      const reply = await method.intercept?.(admitted, state, runtime)
      if (reply) return reply
      const authenticated = await method.finish(admitted, state, runtime)
      if (!("account" in authenticated)) return authenticated
      const { cookies = [], ...identity } = authenticated
      const stopConnection = () =>
        requireRecentAuthentication(admitted, runtime, { callbackUrl: connectionPage(admitted) })
      const continued = await continueWithPasskey(identity, admitted, runtime)
      if (continued) return withCookies(cookies, continued)
      const signedIn = await completeSignIn(identity, admitted, { runtime, stopConnection })
      const answer = withCookies(cookies, renewCsrfOnSignIn(showRemoved(signedIn, admitted, runtime), runtime))
      const { userId } = signedIn
      return finished && userId !== undefined
        ? rememberFinished(answer, { ...finished, userId }, admitted, runtime)
        : answer
    },
  })
  return Object.fromEntries(callbackMethods(provider).map((verb) => [verb, routeFor(verb)]))
}

import type { CompletedSignIn } from "../accounts/sign-in.js"
import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect } from "../http/reply.js"
import { accountsRemovedProps } from "../pages/build-props.js"
import { openOrEmpty, seal } from "../security/jwe.js"
import type { Action, ActionRuntime } from "./action.js"

const PURPOSE = "latchkey.accounts-removed"
const PARAMETER = "removed"
/** How long the URL of the page is valid, in seconds: long enough to reload the page. */
const MAX_AGE_SECONDS = 900

/**
 * Returns the reply of a sign-in. If accounts were unlinked because the email address was verified for the first time,
 * the reply redirects to the page that lists these accounts. The list is sealed in the URL of the page, so that other
 * sites can't forge it.
 */
export function showRemoved({ reply, removed }: CompletedSignIn, call: AuthCall, runtime: ActionRuntime): Reply {
  if (removed.length === 0) return reply
  const claims = { providers: removed.map(({ provider }) => provider), continueUrl: reply.location ?? call.origin }
  const sealed = seal(claims, runtime.keys.for(PURPOSE), MAX_AGE_SECONDS, runtime.now())
  return { ...reply, location: `${call.base}/accounts-removed?${PARAMETER}=${sealed}` }
}

/** GET shows the accounts that are sealed in the URL, and a link to the return URL. */
export const accountsRemoved: Action = () => ({
  GET: {
    guards: { needsCsrf: false, issuesCsrfToken: false, hasCallbackUrl: false },
    async handle(call, runtime): Promise<Reply> {
      const { providers, continueUrl } = openOrEmpty(call.query[PARAMETER], runtime.keys.for(PURPOSE), runtime.now())
      if (!Array.isArray(providers)) return redirect(call.origin)
      const props = accountsRemovedProps(call, { providers, continueUrl: String(continueUrl) }, runtime)
      return html(runtime.pages.render("accounts-removed", props))
    },
  },
})

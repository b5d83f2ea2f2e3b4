import { html, redirect } from "../http/reply.js"
import { isJustSent, readLinkRequest } from "../methods/email/requesting-browser.js"
import { verifyRequestProps } from "../pages/build-props.js"
import { pageUrl } from "../security/redirects.js"
import type { Action } from "./action.js"

/** GET shows the page "check your email". In the browser that requested the email, the user can enter the code. */
export const verifyRequest: Action = () => ({
  GET: {
    guards: { needsCsrf: false, issuesCsrfToken: true, hasCallbackUrl: false },
    async handle(call, runtime) {
      const page = runtime.config.pages.verifyRequest
      if (page) return redirect(pageUrl(page, call.origin, { ...call.query }))
      const request = readLinkRequest(call, runtime)
      const isResendDelayed = request !== undefined && isJustSent(request, runtime)
      const facts = { request, isResendDelayed, now: runtime.now() }
      return html(runtime.pages.render("verify-request", verifyRequestProps(call, facts, runtime)))
    },
  },
})

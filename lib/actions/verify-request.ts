import { html, redirect } from "../http/reply.js"
import { isJustSent, readRequest } from "../methods/email/requesting-browser.js"
import { verifyRequestProps } from "../pages/build-props.js"
import { pageUrl } from "../security/redirects.js"
import type { Action } from "./action.js"

/** GET shows the page "check your email". The browser that requested the email can enter its code there. */
export const verifyRequest: Action = () => ({
  GET: {
    guards: { needsCsrf: false, issuesCsrfToken: true, hasCallbackUrl: false },
    async handle(call, runtime) {
      const page = runtime.config.pages.verifyRequest
      if (page) return redirect(pageUrl(page, call.origin, { ...call.query }))
      const request = readRequest(call, runtime)
      const isResendDelayed = request !== undefined && isJustSent(request, runtime)
      const facts = { request, isResendDelayed, now: runtime.now() }
      return html(runtime.pages.render("verify-request", verifyRequestProps(call, facts, runtime)))
    },
  },
})

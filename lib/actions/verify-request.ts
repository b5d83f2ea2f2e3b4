import { html, redirect } from "../http/reply.js"
import { verifyRequestProps } from "../pages/build-props.js"
import { pageUrl } from "../security/redirects.js"
import type { Action } from "./action.js"

/** GET shows the page "check your email". */
export const verifyRequest: Action = () => ({
  GET: {
    guards: { needsCsrf: false, issuesCsrfToken: false, hasCallbackUrl: false },
    async handle(call, runtime) {
      const page = runtime.config.pages.verifyRequest
      if (page) return redirect(pageUrl(page, call.origin, { ...call.query }))
      return html(runtime.pages.render("verify-request", verifyRequestProps(call, runtime)))
    },
  },
})

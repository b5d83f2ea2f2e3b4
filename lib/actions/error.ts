import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect, withCookies } from "../http/reply.js"
import { errorProps } from "../pages/build-props.js"
import { pageUrl } from "../security/redirects.js"
import type { Action, ActionRuntime } from "./action.js"
import { readReference } from "./reference.js"

/** GET shows the error page for the code in the query parameter `error`. */
export const error: Action = () => ({
  GET: {
    guards: { needsCsrf: false, issuesCsrfToken: false, hasCallbackUrl: false },
    async handle(call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
      const page = runtime.config.pages.error
      const code = call.query["error"]
      if (page) return redirect(pageUrl(page, call.origin, { error: code }))
      const { cookies, ...notice } = readReference(call, runtime)
      const { props, status } = errorProps(code, { ...call, ...notice }, runtime)
      return withCookies(cookies, html(runtime.pages.render("error", props), status))
    },
  },
})

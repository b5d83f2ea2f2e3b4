import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect, withCookies } from "../http/reply.js"
import { errorProps } from "../pages/build-props.js"
import type { Runtime } from "../runtime.js"
import { pageUrl } from "../security/redirects.js"
import type { Action } from "./action.js"
import { receiveReference } from "./reference.js"

/** GET says what went wrong, by the code in `error`. */
export const error: Action = () => ({
  GET: {
    gate: { needsCsrf: false, givesCsrf: false, hasCallbackUrl: false },
    async handle(call: AuthCall, runtime: Runtime): Promise<Reply> {
      const page = runtime.config.pages.error
      const code = call.query["error"]
      if (page) return redirect(pageUrl(page, call.origin, { error: code }))
      const { cookies, ...told } = await receiveReference(call, runtime)
      const { props, status } = errorProps(code, { ...call, ...told }, runtime)
      return withCookies(cookies, html(runtime.pages.render("error", props), status))
    },
  },
})

import type { AuthCall } from "../http/call.js"
import { html, type Reply } from "../http/reply.js"
import { continueProps } from "../pages/build-props.js"
import type { Runtime } from "../runtime.js"

/** True if a browser loads the answer into a window: not a script, and not a frame, where our pages are not shown. */
const isWindowNavigation = ({ headers }: AuthCall): boolean =>
  headers.get("sec-fetch-mode") === "navigate" && (headers.get("sec-fetch-dest") ?? "document") === "document"

/**
 * The answer to a posted form. A redirect to another origin becomes a page that continues there: Chromium applies the
 * `form-action` of the page with the form to every redirect that follows (CSP 3 §6.4.1), and `'self'`, which helmet
 * sets, would block it without a word in the log.
 */
export function continueElsewhere(reply: Reply, call: AuthCall, runtime: Runtime): Reply {
  const { location, cookies } = reply
  if (location === undefined || call.wantsJson || runtime.config.isRaw || !isWindowNavigation(call)) return reply
  if (new URL(location, call.origin).origin === call.origin) return reply
  const page = html(runtime.pages.render("continue", continueProps(call, location, runtime)))
  return { ...page, continueUrl: location, cookies }
}

import type { AuthCall } from "../http/call.js"
import { html, type Reply } from "../http/reply.js"
import { continueProps } from "../pages/build-props.js"
import type { ActionRuntime } from "./action.js"

/**
 * True if the browser shows the response in a window. False for `fetch`, and for frames, in which the page can't be
 * shown.
 */
const isWindowNavigation = ({ headers }: AuthCall): boolean =>
  headers.get("sec-fetch-mode") === "navigate" && (headers.get("sec-fetch-dest") ?? "document") === "document"

/**
 * Replaces a form's redirect to another origin with a page that navigates to the target. Chromium applies the
 * `form-action` directive of the form's page to every redirect that follows the form (CSP 3 §6.4.1). The value
 * `'self'`, which helmet sets, would block the redirect, and the server could not detect or log that.
 */
export function redirectByPage(reply: Reply, call: AuthCall, runtime: ActionRuntime): Reply {
  const { location, cookies } = reply
  if (location === undefined || call.wantsJson || runtime.config.isRaw || !isWindowNavigation(call)) return reply
  if (new URL(location, call.origin).origin === call.origin) return reply
  const page = html(runtime.pages.render("continue", continueProps(call, location, runtime)))
  return { ...page, continueUrl: location, cookies }
}

import { coded } from "../errors/error-codes.js"
import { AuthError } from "../errors/errors.js"
import { MAX_CALLBACK_URL_LENGTH, pageUrl } from "../security/redirects.js"
import type { RequestContext } from "./request-context.js"

const createLoopError = (address: string) =>
  coded(
    "page-guarded",
    new AuthError(
      `requireAuth protects ${address}, the page to which it redirects users to sign in: that is a redirect loop. Mount that page before the guard, or guard only the other paths`,
    ),
  )

/** True if the redirect leads to the requested page itself, apart from `callbackUrl`: a redirect loop. */
function isLoop(address: string, callbackUrl: string, origin: string): boolean {
  const requested = new URL(callbackUrl, origin)
  if (requested.searchParams.has("callbackUrl")) requested.searchParams.set("callbackUrl", callbackUrl)
  return requested.href === address.split("#", 1)[0]
}

/** A path that begins with two slashes would name another host. */
export const toLocalPath = (target: string): string => `/${target.replace(/^[/\\]+/, "")}`

/**
 * The URL of the sign-in page, with `target` as return URL.
 *
 * @throws AuthError if the request is for that page
 */
export function signInAddress(context: RequestContext, target: string, redirectTo: string | undefined): string {
  const { pages } = context.runtime.config
  if (redirectTo === "/") {
    if (target === "/") throw createLoopError("/")
    return "/"
  }
  const { origin } = context.pageContext
  const page = redirectTo ?? pages.signIn ?? `${context.base}/signin`
  const callbackUrl = toLocalPath(target)
  // Leave out a long return URL: encoded, it could exceed the length that servers accept.
  const isShort = callbackUrl.length <= MAX_CALLBACK_URL_LENGTH
  const address = pageUrl(page, origin, { callbackUrl: isShort ? callbackUrl : undefined })
  if (isLoop(address, callbackUrl, origin)) throw createLoopError(new URL(address).pathname)
  return address
}

import { coded } from "../errors/error-codes.js"
import { AuthError } from "../errors/errors.js"
import { MAX_CALLBACK_URL_LENGTH, pageUrl } from "../security/redirects.js"
import type { RequestContext } from "./request-context.js"

const createLoopError = (page: string) =>
  coded(
    "page-guarded",
    new AuthError(
      `requireAuth protects ${page}, but redirects visitors who are not signed in to the same page, which is a redirect loop. Mount the page before the guard, or guard only other paths`,
    ),
  )

/**
 * True if the redirect target is the requested page itself, apart from its parameter `callbackUrl`: a redirect loop.
 */
function isLoop(address: string, callbackUrl: string, origin: string): boolean {
  const requested = new URL(callbackUrl, origin)
  if (requested.searchParams.has("callbackUrl")) requested.searchParams.set("callbackUrl", callbackUrl)
  return requested.href === address.split("#", 1)[0]
}

/**
 * Returns the path with exactly one slash at its start, because browsers read "//host/path" as a URL of another host.
 */
export const toLocalPath = (target: string): string => `/${target.replace(/^[/\\]+/, "")}`

/**
 * Returns the URL of the page on which a visitor signs in: `redirectTo`, or else the sign-in page. Its parameter
 * `callbackUrl` is `target`, unless `redirectTo` is "/".
 *
 * @throws AuthError if the request is for this page, because the redirect would be a loop
 */
export function signInAddress(context: RequestContext, target: string, redirectTo: string | undefined): string {
  const { pages } = context.runtime.config
  if (redirectTo === "/") {
    if (target === "/") throw createLoopError("/")
    return "/"
  }
  const { origin } = context.publicAddress
  const page = redirectTo ?? pages.signIn ?? `${context.base}/signin`
  const callbackUrl = toLocalPath(target)
  // Leaves out a long return URL, because in encoded form it could exceed the URL length that servers accept.
  const isShort = callbackUrl.length <= MAX_CALLBACK_URL_LENGTH
  const address = pageUrl(page, origin, { callbackUrl: isShort ? callbackUrl : undefined })
  if (isLoop(address, callbackUrl, origin)) throw createLoopError(new URL(address).pathname)
  return address
}

import { coded } from "../error-codes.js"
import { AuthError } from "../errors.js"
import { MAX_CALLBACK_URL_LENGTH, pageUrl } from "../security/redirects.js"
import type { Visit } from "./visit.js"

const guarded = (address: string) =>
  coded(
    "sign-in-page-guarded",
    new AuthError(
      `requireAuth stands before ${address}, to which it sends people to sign in: they would be sent there again and again. Mount that page before the guard, or guard the other paths alone`,
    ),
  )

/** Was somebody sent there already, for all that tells? The browser would go round in circles. */
function leadsBack(address: string, callbackUrl: string, origin: string): boolean {
  const here = new URL(callbackUrl, origin)
  if (here.searchParams.has("callbackUrl")) here.searchParams.set("callbackUrl", callbackUrl)
  return here.href === address.split("#", 1)[0]
}

/**
 * Where a browser is sent to sign in, to come back to `target`.
 *
 * @throws AuthError when it is there that the request comes from
 */
export function signInAddress(visit: Visit, target: string, redirectTo: string | undefined): string {
  const { pages } = visit.runtime.config
  if (redirectTo === "/") {
    if (target === "/") throw guarded("/")
    return "/"
  }
  const { origin } = visit.place
  const page = redirectTo ?? pages.signIn ?? `${visit.base}/signin`
  // A path that begins with two slashes would name another host.
  const callbackUrl = `/${target.replace(/^[/\\]+/, "")}`
  // Encoded, a long one could be more than the page can be asked for with.
  const isKept = callbackUrl.length <= MAX_CALLBACK_URL_LENGTH
  const address = pageUrl(page, origin, { callbackUrl: isKept ? callbackUrl : undefined })
  if (leadsBack(address, callbackUrl, origin)) throw guarded(new URL(address).pathname)
  return address
}

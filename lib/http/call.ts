import type { AuthError } from "../errors.js"
import type { Story } from "../story.js"
import type { ActionName } from "./action.js"
import type { CookieSet, Cookies } from "./cookies.js"

/** A request as the flows see it: parsed, and nothing in it believed yet. */
export interface AuthCall {
  readonly method: string
  readonly url: URL
  /** Scheme, host and port of this site. */
  readonly origin: string
  readonly basePath: string
  /** Origin and base path: every address of ours begins with it. */
  readonly base: string
  /** What is asked for; meaningless when there is a problem. */
  readonly action: ActionName
  readonly providerId: string | undefined
  /** The file of the pages that is asked for. */
  readonly asset: string | undefined
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  /** Names that the form has more than once: of several the last one is in `body`. */
  readonly repeatedFields: readonly string[]
  readonly headers: Headers
  readonly cookies: Cookies
  /** The header that they stand in. */
  readonly cookieHeader: string | null
  /** Names and attributes of the cookies, by the scheme of the request. */
  readonly cookieSet: CookieSet
  /** The address of the other side, where the server knows it. */
  readonly clientAddress: string | undefined
  /** The nonce of this answer's Content-Security-Policy, where the application has one. */
  readonly cspNonce: string | undefined
  /** Does the client want JSON in place of redirects? */
  readonly wantsJson: boolean
  /** Why this request can't be answered as it is. */
  readonly problem: AuthError | undefined
  /** The request, for functions of the application that take one. */
  readonly toRequest: () => Request
  /** Where the person goes in the end; the front page until it is worked out. */
  readonly callbackUrl: string
  /** The token for this browser's forms; empty where no action needs one. */
  readonly csrfToken: string
  /** Aborted when the answer was given up: what is begun then would reach nobody. */
  readonly signal: AbortSignal
  /** Fulfilled shortly before that: what is settled is answered then, whatever is still under way. */
  readonly lastMoment?: Promise<void>
  /** What happens, for whoever looks for a mistake; undefined where nobody does. */
  readonly story?: Story
}

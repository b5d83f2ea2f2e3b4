import type { AuthError } from "../errors/errors.js"
import type { SignInTrace } from "../logging/trace.js"
import type { ActionName } from "./action.js"
import type { CookieSet, Cookies } from "./cookies.js"

/** A parsed request. Its content is untrusted. */
export interface AuthCall {
  readonly method: string
  readonly url: URL
  /** Scheme, host and port of this site. */
  readonly origin: string
  readonly basePath: string
  /** Origin and base path: the URLs of all endpoints begin with it. */
  readonly base: string
  /** The requested action; meaningless if there is a problem. */
  readonly action: ActionName
  readonly providerId: string | undefined
  /** The requested static file. */
  readonly asset: string | undefined
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  /** The field names that the form repeats; `body` has the last value of each. */
  readonly repeatedFields: readonly string[]
  readonly headers: Headers
  readonly cookies: Cookies
  /** The `Cookie` header. */
  readonly cookieHeader: string | null
  /** Names and attributes of the cookies, for the scheme of the request. */
  readonly cookieSet: CookieSet
  /** The `User-Agent` header. */
  readonly userAgent: string | undefined
  /** The client's IP address, if the server knows it. */
  readonly clientAddress: string | undefined
  /** The nonce of the application's Content-Security-Policy for this response, if it has one. */
  readonly cspNonce: string | undefined
  /** True if the client wants JSON instead of redirects. */
  readonly wantsJson: boolean
  /** Why the request is invalid. */
  readonly problem: AuthError | undefined
  /** Creates a web `Request`, for functions of the application that take one. */
  readonly toRequest: () => Request
  /** The return URL; the front page until it is resolved. */
  readonly callbackUrl: string
  /** True if the user has chosen to stay signed in: from the pending flow, else from the form. */
  readonly remember: boolean
  /**
   * True if the current user proves again who they are, instead of signing in: from the pending flow, else from the
   * form. Without a session it has no meaning.
   */
  readonly isReauthentication: boolean
  /** What that proof must meet, as the query of the page that asks for it: from the pending flow, else from the form. */
  readonly requiredQuery: string
  /** The CSRF token of this browser; empty if the action needs none. */
  readonly csrfToken: string
  /** Aborted when the response is abandoned: work that begins later has no effect for the client. */
  readonly signal: AbortSignal
  /** Resolves shortly before the signal aborts: the response is then sent without waiting for remaining work. */
  readonly softDeadline?: Promise<void>
  /** The trace of the sign-in; undefined if debug output is off. */
  readonly trace?: SignInTrace
}

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
  /** The origin followed by the base path. The URLs of all endpoints begin with it. */
  readonly base: string
  /** The requested action; "error" if the path is not that of an endpoint, see `problem`. */
  readonly action: ActionName
  /** The provider id in the path. */
  readonly providerId: string | undefined
  /** The name of the requested static file. */
  readonly asset: string | undefined
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  /** The names of form fields that occur more than once. `body` contains the last value of each. */
  readonly repeatedFields: readonly string[]
  readonly headers: Headers
  readonly cookies: Cookies
  /** The `Cookie` header. */
  readonly cookieHeader: string | null
  /** Names and attributes of the cookies, for the scheme of the request. */
  readonly cookieSet: CookieSet
  /** The `User-Agent` header. */
  readonly userAgent: string | undefined
  /** The client's IP address; undefined if the server does not provide it. */
  readonly clientAddress: string | undefined
  /** The nonce of the application's Content-Security-Policy for this response, if it has one. */
  readonly cspNonce: string | undefined
  /** True if the client wants JSON instead of redirects. */
  readonly wantsJson: boolean
  /** The error for the response if the request is invalid. */
  readonly problem: AuthError | undefined
  /** Creates a web `Request` for functions of the application, such as `authorize`. */
  readonly toRequest: () => Request
  /** The return URL. It is the site's origin until `applyGuards` resolves it. */
  readonly callbackUrl: string
  /** True if the user has chosen to stay signed in. Read from the pending flow, or else from the form. */
  readonly remember: boolean
  /**
   * True if the current user re-authenticates instead of signing in. Read from the pending flow, or else from the form.
   * Has no effect if the browser has no session.
   */
  readonly isReauthentication: boolean
  /**
   * What the re-authentication must fulfil, encoded as the query string of the page `/reauthenticate`. Read from the
   * pending flow, or else from the form.
   */
  readonly requiredQuery: string
  /** The CSRF token of this browser; empty if the route's guards do not issue one. */
  readonly csrfToken: string
  /** Aborted when the call times out. The client then receives an error, so no further work should begin. */
  readonly signal: AbortSignal
  /** Resolves shortly before `signal` aborts, so that the handler can stop waiting for slow work and still reply. */
  readonly softDeadline?: Promise<void>
  /** The trace of the sign-in; undefined if debug output is off. */
  readonly trace?: SignInTrace
}

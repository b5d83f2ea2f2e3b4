import type { Account, CookieChange, Profile, Session, SessionOrigin, User } from "../base/types.js"
import type { Emit, ReadyCallbacks, ResolvedConfig } from "../config/resolved-config.js"
import type { CookieSet, Cookies } from "../http/cookies.js"
import type { Logger } from "../logging/logger.js"
import type { Store } from "../store/store.js"

/** The browser's cookies, and the names of this package's cookies. */
export interface SessionCookies {
  readonly cookies: Cookies
  readonly cookieSet: CookieSet
  /** The `Cookie` header. If it repeats a name, `cookies` has only the first value. */
  readonly cookieHeader?: string | null | undefined
  /** The return URL that the response stores in its cookie. */
  readonly callbackUrl?: string
  /** Aborted when the request has timed out. Cookies that are returned later do not reach the browser. */
  readonly signal?: AbortSignal
  /** Resolves shortly before the signal aborts: the last moment at which a new session can be sent to the browser. */
  readonly softDeadline?: Promise<void>
}

export interface SessionRead {
  readonly session: Session | null
  readonly cookies: readonly CookieChange[]
  /** The session's owner, see `SessionOrigin`. Undefined without a session, and for older sessions without an adapter. */
  readonly owner?: string | undefined
}

/**
 * Why a session is read. "peek" never extends it, "read" extends it if it is older than `updateAge`, and "renew" always
 * extends it. "update" also passes the data that the client posted to the callbacks.
 */
export type ReadPurpose =
  | { readonly mode: "peek" | "read" | "renew" }
  | { readonly mode: "update"; readonly data: unknown }

/** A user who has just signed in. */
export interface SignedIn {
  readonly user: User
  readonly account: Account
  readonly profile?: Profile | undefined
  readonly isNewUser?: boolean | undefined
  /** For a user of the adapter: the email address if it is verified, otherwise "". */
  readonly verifiedEmail?: string | undefined
  readonly origin: SessionOrigin
  /** True if the user of the browser's session has connected another account. The new session keeps the origin. */
  readonly isConnection?: boolean | undefined
}

/** A session that was just created. */
export interface NewSession {
  readonly cookies: readonly CookieChange[]
  /** The user's id in the session. The `jwt` callback may replace it, or end the session. */
  readonly userId: string | undefined
}

/** Reads, creates and ends sessions. A missing session is null; a failed adapter throws an AuthError. */
export interface SessionStrategy {
  read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead>
  /** Creates a session that replaces the browser's current one. */
  create(signedIn: SignedIn, browser: SessionCookies): Promise<NewSession>
  /** How the browser's session was opened; undefined without a session, and for an older session. */
  origin(browser: SessionCookies): Promise<SessionOrigin | undefined>
  /** Ends the browser's session. */
  destroy(browser: SessionCookies): Promise<readonly CookieChange[]>
  /**
   * Ends all sessions of a user.
   *
   * @throws AuthError if the server can't end sessions; its message states the alternatives
   */
  destroyAll(userId: string): Promise<void>
  /**
   * The id of the user of the browser's session, without renewing the session. With `runsJwtCallback`, the `jwt`
   * callback is called first, which may end the session.
   */
  currentUserId(browser: SessionCookies, options?: { readonly runsJwtCallback?: boolean }): Promise<string | undefined>
  /**
   * The user's email address that was verified when the browser's session was created, "" for none. Undefined if it is
   * unknown, and for database sessions, which end when an address is first verified.
   */
  verifiedEmail(browser: SessionCookies): Promise<string | undefined>
}

/** The part of the runtime that sessions need. */
export interface SessionRuntime {
  readonly config: ResolvedConfig
  readonly callbacks: ReadyCallbacks
  /** Runs the handler of an event. A failure is logged and changes nothing. */
  readonly emit: Emit
  /** What processes share; undefined where there is no store. Its failures are `AdapterError`s. */
  readonly store: Store | undefined
  readonly logger: Logger
  readonly now: () => number
}

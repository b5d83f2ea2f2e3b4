import type { Awaitable } from "../base/awaitable.js"
import type { Account, CookieChange, Profile, Session, SessionAuthentication, User } from "../base/types.js"
import type { Emit, ReadyCallbacks, ResolvedConfig } from "../config/resolved-config.js"
import type { CookieSet, Cookies } from "../http/cookies.js"
import type { Logger } from "../logging/logger.js"
import type { Keyring } from "../security/keys.js"
import type { Store } from "../store/store.js"

/**
 * The data of a request that sessions need, such as the cookies and the device of the browser, and the deadlines of the
 * request.
 */
export interface SessionCookies {
  readonly cookies: Cookies
  readonly cookieSet: CookieSet
  /** The `Cookie` header. If it repeats a name, `cookies` contains only the first value. */
  readonly cookieHeader?: string | null | undefined
  /** The `User-Agent` header. */
  readonly userAgent?: string | undefined
  /** The client's IP address, if it is known. */
  readonly clientAddress?: string | undefined
  /** The new return URL, if the response stores one in the cookie for return URLs. */
  readonly callbackUrl?: string
  /** Aborts when the request times out. Cookies that are returned later do not reach the browser. */
  readonly signal?: AbortSignal
  /** Resolves shortly before the signal aborts: the last moment at which a new session can be sent to the browser. */
  readonly softDeadline?: Promise<void>
}

/** The result of reading the browser's session. */
export interface SessionRead {
  readonly session: Session | null
  /** The cookies that the response sets or clears. */
  readonly cookies: readonly CookieChange[]
  /**
   * The session's id; undefined if there is no session. Without a store, it is also undefined for a session that
   * Auth.js created.
   */
  readonly id?: string | undefined
  /**
   * The session's owner, see `SessionAuthentication`; undefined if there is no session. Without an adapter, it is also
   * undefined for a session that Auth.js created.
   */
  readonly owner?: string | undefined
}

/**
 * Why a session is read. "peek" never extends the session. "read" extends it if it was last extended at least
 * `updateAge` seconds ago. "renew" and "update" always renew the cookie, and therefore an encrypted session, but extend
 * the row of a database session only as "read" does. "update" also passes `data`, which the client has posted, to the
 * callbacks.
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
  /** With an adapter: the user's email address if it is verified, otherwise "". */
  readonly verifiedEmail?: string | undefined
  readonly authentication: SessionAuthentication
  /**
   * True if the current user has connected another account. The new session then continues the browser's session, see
   * `continueAuthentication`.
   */
  readonly isConnection?: boolean | undefined
  /** When the sign-in began, in milliseconds since 1970. @default now */
  readonly startedAt?: number | undefined
  /** The sealed id_token, for logout at the provider. It is stored only in the session's record. */
  readonly logoutHint?: string | undefined
  /** With `session.remember: "ask"`: true if the user has chosen to stay signed in. */
  readonly remember?: boolean | undefined
}

/** A session that was just created. */
export interface NewSession {
  readonly cookies: readonly CookieChange[]
  /**
   * The user's id. For an encrypted session, it is the `sub` that the `jwt` callback returned; undefined if the
   * callback has ended the session.
   */
  readonly userId: string | undefined
  /** The session's id; undefined if the `jwt` callback has ended the session. */
  readonly id: string | undefined
}

/** The browser of a session, as its `User-Agent` header describes it. */
export interface Device {
  /** For example "Firefox". */
  readonly browser?: string
  /** For example "Windows" or "iOS". */
  readonly platform?: string
}

/** The content of a session's record. Times are in milliseconds since 1970. */
export interface SessionData extends Device {
  readonly createdAt: number
  /** When the session was last used, precise to five minutes. */
  readonly lastSeenAt: number
  readonly expires: number
  /** How the session was opened; undefined if it is unknown, for example for a session that Auth.js created. */
  readonly authentication?: SessionAuthentication | undefined
  /** The client's IP address; only with the option `session.recordAddress`. */
  readonly address?: string
  /** The sealed token of a database session. */
  readonly token?: string
  /** The sealed id_token, for logout at the provider. */
  readonly logoutHint?: string | undefined
}

/** The result of ending the browser's session. */
export interface DestroyedSession {
  /** The changes that clear the session's cookies. */
  readonly cookies: readonly CookieChange[]
  /** The ended session; undefined if the browser had no registered session, or if there is no registry. */
  readonly session?: RegisteredSession | undefined
}

/** A session of the registry. */
export interface RegisteredSession extends SessionData {
  readonly id: string
}

/** A session that a request presents in its cookie. The registry looks up its record. */
export interface PresentedSession {
  readonly id: string
  /** `SessionAuthentication.owner`; undefined if the session does not contain it. */
  readonly owner: string | undefined
  /** When the cookie was issued, in milliseconds since 1970; undefined if it is unknown, as for database sessions. */
  readonly issuedAt: number | undefined
  /** When the session ends if it is not used again, in milliseconds since 1970. */
  readonly expires: number
  /** Finds the user, for the option `isActive`. */
  readonly findUser: () => Promise<User | null>
  /** True if this request counts as a use of the session, so that the registry may write `lastSeenAt`. */
  readonly isUse: boolean
  /**
   * Seals the token of the record again, with the newest secret, so that older secrets can be removed. Only database
   * sessions have a token in their record.
   */
  readonly resealToken?: (sealed: string) => string
  /** Returns data of this request for a new record. It is called only if the session is not registered yet. */
  readonly describe: () => Partial<Pick<SessionData, "address" | "token" | keyof Device>> & {
    readonly authentication?: SessionAuthentication | undefined
  }
}

/**
 * Selects all sessions of an owner, all sessions that belong to one session at a provider (`sid`), or all sessions of
 * one user of a provider (`sub`).
 */
export type SessionGroup =
  | { readonly owner: string }
  | { readonly provider: string; readonly sid: string }
  | { readonly provider: string; readonly sub: string }

/** Keeps a record of each session in the store, so that every process can list and end sessions. */
export interface SessionRegistry {
  /**
   * Adds a new session. `startedAt` is the time at which its sign-in began.
   *
   * @throws AccessDenied if all sessions of one of its groups were ended after `startedAt`
   */
  add(session: RegisteredSession, startedAt: number): Promise<void>
  /**
   * True if the session has not ended and the option `isActive` accepts its user. Also records the use of the session,
   * and registers a session that was created without a store.
   *
   * @throws AuthError if the store, the adapter or the option `isActive` fails or does not respond
   */
  isLive(session: PresentedSession): Awaitable<boolean>
  /** Returns the session; undefined if it has ended or is not registered. */
  find(id: string): Promise<RegisteredSession | undefined>
  /**
   * Records that the user of a session has authenticated again, see `SessionStrategy.recordReauthentication`. Returns
   * the session's new authentication; undefined if the session has ended.
   */
  recordReauthentication(
    id: string,
    reauthentication: SessionAuthentication,
    logoutHint?: string,
  ): Promise<SessionAuthentication | undefined>
  /** Replaces the sealed token of a database session, if the session has not ended. */
  replaceToken(id: string, token: string): Promise<void>
  /** Lists the sessions of a group, the most recently used first. */
  list(group: SessionGroup): Promise<RegisteredSession[]>
  /**
   * Ends a session and returns it; returns undefined if it was not registered. A second after the promise has resolved,
   * no process accepts the session. `validUntil` is the expiry of its cookie in milliseconds since 1970, if it is
   * known.
   */
  end(id: string, validUntil?: number): Promise<RegisteredSession | undefined>
  /** Ends a session whose row the adapter has already deleted. */
  endDeleted(session: RegisteredSession): Promise<void>
  /**
   * Calls `onEnd` once when any process has ended the session, or when it has expired. Returns a function that stops
   * watching.
   */
  watch(session: Pick<PresentedSession, "id" | "owner" | "expires">, onEnd: () => void): () => void
  /**
   * Ends all sessions of a group, and rejects sign-ins of the group that are in progress. In an owner's group, the
   * session with the id `except` stays.
   */
  endAll(group: SessionGroup, options?: { readonly except?: string | undefined }): Promise<void>
}

/**
 * Reads, creates and ends sessions. If there is no session, `read` returns null as the session. If the adapter or the
 * store fails, the methods throw an AuthError.
 */
export interface SessionStrategy {
  read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead>
  /** Creates a session that replaces the browser's current one. */
  create(signedIn: SignedIn, browser: SessionCookies): Promise<NewSession>
  /**
   * Returns how the user of the browser's session was authenticated, including later re-authentications (see
   * `recordReauthentication`). Returns undefined if there is no session, or if this is unknown. Each call reads the
   * store.
   */
  authentication(browser: SessionCookies): Promise<SessionAuthentication | undefined>
  /**
   * False if `authentication` always returns undefined: for database sessions without a registry, because only the
   * record of a database session contains the authentication.
   */
  readonly recordsAuthentication: boolean
  /**
   * Records that the user of the browser's session has authenticated again, and returns the cookie changes. The session
   * keeps its id, its provider and its method. Its `amr` is extended, and the later `authTime` and the latest `acr` are
   * used. If the user authenticated at the provider that opened the session, `providerSid` and `logoutHint` are
   * replaced.
   *
   * `reauthentication` is the authentication that a new session would have. Its owner must be the owner of the
   * browser's session.
   */
  recordReauthentication(
    browser: SessionCookies,
    reauthentication: SessionAuthentication,
    logoutHint?: string,
  ): Promise<readonly CookieChange[]>
  /** Ends the browser's session. */
  destroy(browser: SessionCookies): Promise<DestroyedSession>
  /**
   * Ends all sessions of an owner (see `SessionAuthentication`) except the one with the id `except`.
   *
   * @throws AuthError if the server can't end sessions; its message states the alternatives
   */
  destroyAll(owner: string, options?: { readonly except?: string | undefined }): Promise<void>
  /** The registry of sessions; undefined without a store, or with `session.revocable: false`. */
  readonly registry: SessionRegistry | undefined
  /**
   * Returns the id of the current user, without renewing the session. With `runsJwtCallback`, calls the `jwt` callback
   * first, which may end the session.
   */
  currentUserId(browser: SessionCookies, options?: { readonly runsJwtCallback?: boolean }): Promise<string | undefined>
  /** Returns the id of the browser's session, see `SessionRead`, without renewing the session. */
  currentSessionId(browser: SessionCookies): Promise<string | undefined>
  /**
   * Returns the email address that was verified when the browser's session was created; "" if the address was not
   * verified; undefined if this is unknown. Always returns undefined for database sessions. They need not store the
   * address, because all sessions of a user end when the user's address is first verified.
   */
  verifiedEmail(browser: SessionCookies): Promise<string | undefined>
}

/** The members of the runtime that sessions need. */
export interface SessionRuntime {
  readonly config: ResolvedConfig
  readonly callbacks: ReadyCallbacks
  /** Runs the handler of an event. A failure is logged and changes nothing. */
  readonly emit: Emit
  /** The store; undefined if there is none. Its failures are `AdapterError`s, see `bindStore`. */
  readonly store: Store | undefined
  readonly keys: Keyring
  readonly logger: Logger
  readonly now: () => number
}

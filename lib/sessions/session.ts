import type { Awaitable } from "../base/awaitable.js"
import type { Account, CookieChange, Profile, Session, SessionOrigin, User } from "../base/types.js"
import type { Emit, ReadyCallbacks, ResolvedConfig } from "../config/resolved-config.js"
import type { CookieSet, Cookies } from "../http/cookies.js"
import type { Logger } from "../logging/logger.js"
import type { Keyring } from "../security/keys.js"
import type { Store } from "../store/store.js"

/** The browser's cookies, and the names of this package's cookies. */
export interface SessionCookies {
  readonly cookies: Cookies
  readonly cookieSet: CookieSet
  /** The `Cookie` header. If it repeats a name, `cookies` has only the first value. */
  readonly cookieHeader?: string | null | undefined
  /** The `User-Agent` header. */
  readonly userAgent?: string | undefined
  /** The client's IP address, if the server knows it. */
  readonly clientAddress?: string | undefined
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
  /** The session's id. Undefined without a session, and without a store for sessions that Auth.js created. */
  readonly id?: string | undefined
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
  /** True if the user of the browser's session has connected another account. The new session continues it. */
  readonly isConnection?: boolean | undefined
  /** When the user's authentication began, in milliseconds since 1970. @default now */
  readonly startedAt?: number | undefined
  /** The sealed id_token, for logout at the provider. Stored in the session's record only. */
  readonly logoutHint?: string | undefined
  /** With `session.remember: "ask"`: true if the user has chosen to stay signed in. */
  readonly remember?: boolean | undefined
}

/** A session that was just created. */
export interface NewSession {
  readonly cookies: readonly CookieChange[]
  /** The user's id in the session. The `jwt` callback may replace it, or end the session. */
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

/** What a record says about a session. Times are in milliseconds since 1970. */
export interface SessionData extends Device {
  readonly createdAt: number
  /** Precise to five minutes. */
  readonly lastSeenAt: number
  readonly expires: number
  /** How the session was opened; undefined for a session that was created without a store. */
  readonly origin?: SessionOrigin | undefined
  /** The client's IP address, with `session.recordAddress`. */
  readonly address?: string
  /** The sealed token of a database session. */
  readonly token?: string
  /** The sealed id_token, for logout at the provider. */
  readonly logoutHint?: string | undefined
}

/** A session that was ended at the request of its browser. */
export interface DestroyedSession {
  /** The changes that clear the session's cookies. */
  readonly cookies: readonly CookieChange[]
  /** Undefined if the browser had no session, and without a registry. */
  readonly session?: RegisteredSession | undefined
}

/** A session of the registry. */
export interface RegisteredSession extends SessionData {
  readonly id: string
}

/** A session in a browser's cookie, for which a record is looked up. */
export interface PresentedSession {
  readonly id: string
  /** `SessionOrigin.owner`; undefined if the session does not contain it. */
  readonly owner: string | undefined
  /** When the cookie or the adapter's row was issued, in milliseconds; undefined if it is unknown. */
  readonly issuedAt: number | undefined
  /** When the session ends if it is not used again. */
  readonly expires: number
  /** Finds the user, for the option `isActive`. */
  readonly findUser: () => Promise<User | null>
  /** Whether the read may write the time of the last use. */
  readonly isUse: boolean
  /** Seals the record's token again, so that a rotated secret can be removed. Only database sessions have one. */
  readonly resealToken?: (sealed: string) => string
  /** What a new record contains. Called only for a session that is not registered yet. */
  readonly describe: () => Partial<Pick<SessionData, "address" | "token" | keyof Device>> & {
    readonly origin?: SessionOrigin | undefined
  }
}

/** The sessions that end together: those of an owner, or those that one session or user of a provider has opened. */
export type SessionGroup =
  | { readonly owner: string }
  | { readonly provider: string; readonly sid: string }
  | { readonly provider: string; readonly sub: string }

export interface SessionRegistry {
  /**
   * Adds a new session.
   *
   * @throws AccessDenied if all sessions of its user were ended after `startedAt`
   */
  add(session: RegisteredSession, startedAt: number): Promise<void>
  /**
   * True if the session has not ended. A session that was created without a store is registered.
   *
   * @throws AdapterError if the store fails or does not respond
   */
  isLive(session: PresentedSession): Awaitable<boolean>
  find(id: string): Promise<RegisteredSession | undefined>
  /**
   * Records that the user of a session was authenticated again, see `SessionStrategy.confirm`. Resolves to the session's
   * origin; undefined if the session has ended.
   */
  confirm(id: string, confirmed: SessionOrigin, logoutHint?: string): Promise<SessionOrigin | undefined>
  /** Replaces the sealed token of a database session, if the session has not ended. */
  replaceToken(id: string, token: string): Promise<void>
  /** Lists the sessions of a group, last used first. */
  list(group: SessionGroup): Promise<RegisteredSession[]>
  /**
   * Ends a session in all processes: a second after the promise has resolved, none accepts it. Resolves to the session;
   * undefined if there was no such session. `validUntil` is the expiry of its cookie, in milliseconds, if it is known.
   */
  end(id: string, validUntil?: number): Promise<RegisteredSession | undefined>
  /** Ends a session whose row the adapter has already deleted. */
  endDeleted(session: RegisteredSession): Promise<void>
  /** Calls `onEnd` once when the session has ended in any process. Returns a function that stops watching. */
  watch(session: Pick<PresentedSession, "id" | "owner" | "expires">, onEnd: () => void): () => void
  /** Ends all sessions of a group except one, also those whose sign-in is in progress. */
  endAll(group: SessionGroup, options?: { readonly except?: string | undefined }): Promise<void>
}

/** Reads, creates and ends sessions. A missing session is null; a failed adapter throws an AuthError. */
export interface SessionStrategy {
  read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead>
  /** Creates a session that replaces the browser's current one. */
  create(signedIn: SignedIn, browser: SessionCookies): Promise<NewSession>
  /**
   * How the browser's session was opened, with the later authentications of `confirm`. It reads the store. Undefined
   * without a session, and for an older session.
   */
  origin(browser: SessionCookies): Promise<SessionOrigin | undefined>
  /** False if `origin` is always undefined: database sessions keep it in the store. */
  readonly keepsOrigin: boolean
  /**
   * Records that the user of the browser's session was authenticated again: its `amr` is extended, and it has the later
   * `authTime` and the latest `acr`. The session's id and the way in which it was opened stay. If it was opened at the
   * same provider, it has the provider's latest session and `logoutHint`. `confirmed` is the origin that a new session of
   * this authentication would have; its owner must be the session's owner.
   */
  confirm(browser: SessionCookies, confirmed: SessionOrigin, logoutHint?: string): Promise<readonly CookieChange[]>
  /** Ends the browser's session. */
  destroy(browser: SessionCookies): Promise<DestroyedSession>
  /**
   * Ends all sessions of an owner, see `SessionOrigin`, except the one with the id `except`.
   *
   * @throws AuthError if the server can't end sessions; its message states the alternatives
   */
  destroyAll(owner: string, options?: { readonly except?: string | undefined }): Promise<void>
  /** The sessions of all browsers; undefined without a store, or with `session.revocable: false`. */
  readonly registry: SessionRegistry | undefined
  /**
   * The id of the user of the browser's session, without renewing the session. With `runsJwtCallback`, the `jwt`
   * callback is called first, which may end the session.
   */
  currentUserId(browser: SessionCookies, options?: { readonly runsJwtCallback?: boolean }): Promise<string | undefined>
  /** The id of the browser's session, as in `SessionRead`, without renewing the session. */
  currentSessionId(browser: SessionCookies): Promise<string | undefined>
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
  readonly keys: Keyring
  readonly logger: Logger
  readonly now: () => number
}

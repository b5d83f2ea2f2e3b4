import type { CookieChange, CookieSet, Cookies } from "../http/cookies.js"
import type { Account, Profile, Session, User } from "../types.js"

/** The browser's cookies, and how ours are named there. */
export interface SessionCookies {
  readonly cookies: Cookies
  readonly cookieSet: CookieSet
  /** The header that the cookies stand in: of two with one name `cookies` has the first alone. */
  readonly cookieHeader?: string | null | undefined
  /** The return URL that the answer stores in its cookie. */
  readonly callbackUrl?: string
  /** Aborted when the answer was given up: its cookies reach nobody. */
  readonly signal?: AbortSignal
  /** Fulfilled shortly before that: a session that is there by then is the browser's. */
  readonly lastMoment?: Promise<void>
}

export interface SessionRead {
  readonly session: Session | null
  readonly cookies: readonly CookieChange[]
}

/**
 * Why a session is read: "peek" prolongs it never, "read" when it is older than `updateAge`, "renew" always, and
 * "update" passes on the data that the client posted.
 */
export type ReadPurpose =
  | { readonly mode: "peek" | "read" | "renew" }
  | { readonly mode: "update"; readonly data: unknown }

/** Somebody who has just proved who they are. */
export interface SignedIn {
  readonly user: User
  readonly account: Account
  readonly profile?: Profile | undefined
  readonly isNewUser?: boolean | undefined
  /** Of a user of the adapter: the email address, if it has been proved, else "". */
  readonly provenEmail?: string | undefined
}

/** Where sessions live. No session is null; a store that fails throws an AuthError. */
export interface SessionStrategy {
  read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead>
  /** Begins a session in place of the browser's present one. */
  open(signedIn: SignedIn, browser: SessionCookies): Promise<readonly CookieChange[]>
  /** Ends the browser's session. */
  close(browser: SessionCookies): Promise<readonly CookieChange[]>
  /**
   * Ends every session of a user.
   *
   * @throws AuthError when sessions can't be ended from here, saying what can be done
   */
  closeAll(userId: string): Promise<void>
  /**
   * The id of the user whom the browser's session belongs to, without renewing anything. `asks`: the application's
   * `jwt` callback is asked first whether the session still is one.
   */
  currentUserId(browser: SessionCookies, options?: { readonly asks?: boolean }): Promise<string | undefined>
  /**
   * The email address of the user that was proved when the browser's session was opened, "" for none. Undefined where it is
   * not known, and for sessions in the adapter, which end at the first proof of an address.
   */
  provenEmail(browser: SessionCookies): Promise<string | undefined>
}

import { findPendingSignIn } from "../accounts/pending-sign-in.js"
import { completeTrustedSignIn, type TrustedUser } from "../accounts/trusted-user.js"
import type { Awaitable } from "../base/awaitable.js"
import { isPromiseLike } from "../base/awaitable.js"
import { withTimeout } from "../base/timeout.js"
import type { Account, CookieChange } from "../base/types.js"
import { createSingleFlight, READ_TIMEOUT_MS } from "../cache/single-flight.js"
import { AccessDenied, AuthError, TIMED_OUT } from "../errors/errors.js"
import { type CookieSet, type Cookies, chunkNames, parseCookies, toSetCookies } from "../http/cookies.js"
import type { Runtime } from "../runtime/runtime.js"
import {
  appendRequestCookies,
  createClearingCookies,
  findLegacyCookie,
  type LegacyCookie,
  type LegacyCookieOptions,
} from "./legacy-cookie.js"
import { fullPath, fullTarget, type NodeRequest, type NodeResponse } from "./node.js"
import { isFromAnotherSite, isSecure } from "./origin.js"
import { getContext } from "./request-context.js"
import { addCookies } from "./send.js"
import { toLocalPath } from "./sign-in-address.js"

/** The result of `read`: the user of an old session. */
export interface LegacySession {
  /**
   * The user to sign in. With an adapter, this selects the stored user with this `id`, or else with this `email`; if
   * there is none, a user is created. Set `id` only if it is the user's id in the adapter.
   *
   * The email address is treated as verified, so set it only if your application has verified it. If it selects a user
   * whose address was unverified, the same happens as when this user opens an email link: the user's sessions end, and
   * all passkeys and all accounts whose provider has not verified the address are removed. With `emailVerified: null`
   * the address is treated as unverified and does not select a user.
   */
  user: TrustedUser
  /**
   * The account with which the user signed in. The `jwt` callback receives it, and the adapter stores it, so that a
   * later sign-in with this account finds the same user. @default an account of type "credentials", which is not stored
   */
  account?: Pick<Account, "provider" | "providerAccountId" | "type"> & Partial<Account>
  /**
   * Used with `session.remember: "ask"`. Set it to false if the browser deletes the old cookie on closing. @default
   * true
   */
  remember?: boolean
}

/** The options of `migrateSession`. */
export interface MigrateSessionOptions {
  /**
   * The name of the old cookie, for example "appSession"; its chunks, such as `appSession.0`, are included. If the
   * session uses several cookies, a list of names: `["session", "session.sig"]`.
   */
  cookie: string | readonly string[]
  /** The attributes of the old cookie. It can be cleared only with the same domain and path. @default { path: "/" } */
  cookieOptions?: LegacyCookieOptions
  /** Old sessions are migrated until this date. Set the day when the last old session expires, at most a year ahead. */
  until: Date
  /**
   * Returns the user of the request's old session, or null if the session is invalid, expired, signed out or anonymous.
   * `read` must not end the old session. If it throws or takes longer than 5 s, an error is passed to `next`, and the
   * sessions and cookies do not change.
   */
  read(req: NodeRequest, res: NodeResponse): Awaitable<LegacySession | null | undefined>
  /**
   * Deletes the request's old session from its store. Called when the browser sends the old and the new cookie. It may
   * be called more than once for the same session.
   */
  end?(req: NodeRequest, res: NodeResponse): Awaitable<void>
}

/** A request with an old cookie. */
interface LegacyRequest {
  readonly req: NodeRequest
  readonly res: NodeResponse
  readonly legacy: LegacyCookie
  readonly cookies: Cookies
  readonly cookieSet: CookieSet
  /** True if the request has a session cookie of this package, valid or not. */
  readonly hasOwnCookie: boolean
  /**
   * The value of the marker cookie, which is set with the new session: the fingerprint of the old session, followed by
   * `CLEARED` after the old cookie was cleared.
   */
  readonly marker: string | undefined
}

const CLEARED = ".cleared"

/**
 * The cookies of the new session, or of a sign-in that is pending. Null if the old session is invalid, or if its user
 * is refused, for example by `isActive`.
 */
type MigrationResult = Awaited<ReturnType<typeof completeTrustedSignIn>> | null

/**
 * Returns a function that creates the error for an operation that takes too long. Without a timeout, an operation that
 * never settles would block all requests of the browser.
 */
const createTimeoutError = (operation: string) => (seconds: number) =>
  new AuthError(`migrateSession: ${operation} did not settle within ${seconds} s`, {}, TIMED_OUT)

/**
 * Migrates sessions in two steps. A request with only an old cookie gets a new session. A later request with both
 * cookies proves that the browser has stored the new cookie. The old session is ended only then.
 */
export class SessionMigration {
  readonly #runtime: Runtime
  readonly #options: MigrateSessionOptions
  readonly #names: readonly string[]
  /** The migrations in progress. Concurrent requests with the same old cookie share one migration. */
  readonly #inFlight = createSingleFlight<MigrationResult>(createTimeoutError("read, or the adapter,"))

  constructor(runtime: Runtime, options: MigrateSessionOptions) {
    this.#runtime = runtime
    this.#options = options
    this.#names = [options.cookie].flat()
  }

  /** True after the date of the option `until`. */
  get isOver(): boolean {
    return this.#runtime.now() >= this.#options.until.getTime()
  }

  /** Migrates the session of a request. Returns undefined, instead of a promise, if there is nothing to do. */
  handle(req: NodeRequest, res: NodeResponse): Promise<void> | undefined {
    // A HEAD request must not change state (RFC 9110 §9.2.1). Once the headers are sent, no cookie can be set.
    if (req.method === "HEAD" || res.headersSent) return undefined
    const request = this.#parseLegacyRequest(req, res)
    // A POST request of another site can contain an old cookie without SameSite, or with SameSite=None. The request is
    // not migrated, so that it is not signed in (CSRF). This package's own session cookie has SameSite=Lax by default.
    if (!request || (req.method !== "GET" && isFromAnotherSite(req, this.#runtime))) return undefined
    return this.#migrate(request)
  }

  async #migrate(request: LegacyRequest): Promise<void> {
    // An invalid session cookie of this package also prevents a migration: a user who was signed out must stay signed
    // out.
    if (request.hasOwnCookie || request.marker?.startsWith(request.legacy.fingerprint))
      return this.#endLegacySession(request)
    return this.isOver ? this.#clearLegacyCookie(request) : this.#start(request)
  }

  #parseLegacyRequest(req: NodeRequest, res: NodeResponse): LegacyRequest | undefined {
    const header = req.headers.cookie ?? ""
    if (!this.#names.some((name) => header.includes(name))) return undefined
    const cookies = parseCookies(header)
    const legacy = findLegacyCookie(cookies, this.#names)
    if (!legacy || this.#isAsset(req)) return undefined
    const cookieSet = this.#runtime.cookieSetFor(isSecure(req, this.#runtime) ? "https:" : "http:")
    const { sessionToken, formerSessionToken } = cookieSet
    const hasOwnCookie = [sessionToken, formerSessionToken].some(({ name }) => chunkNames(cookies, name).length > 0)
    return { req, res, legacy, cookies, cookieSet, hasOwnCookie, marker: cookies[cookieSet.migrated.name] }
  }

  /**
   * True for an asset of this package. Assets are public, so their responses must not set cookies. Only the end of the
   * path is compared, because the base path may be unknown here.
   */
  #isAsset(req: NodeRequest): boolean {
    const [folder, name = ""] = fullPath(req).split("/").slice(-2)
    return folder === "assets" && this.#runtime.pages.asset(name) !== undefined
  }

  /** Signs in the user of the old session. The response sets the new cookies, and this request already uses them. */
  async #start(request: LegacyRequest): Promise<void> {
    const { req, res, legacy, cookieSet } = request
    this.#warnIfMountedTooLate(req)
    // If this browser already has a pending sign-in, the old session is kept until the user has met the requirements.
    if (await findPendingSignIn(request, this.#runtime)) return
    const result = await this.#signInOnce(request)
    if (!result) return this.#clearLegacyCookie(request)
    const { cookies: changes, isPending } = result
    addCookies(res, toSetCookies(isPending ? changes : [...changes, this.#markerChange(legacy.fingerprint)], cookieSet))
    const putChanges = changes.filter((change) => "put" in change)
    appendRequestCookies(req, toSetCookies(putChanges, cookieSet))
  }

  async #signInOnce(request: LegacyRequest): Promise<MigrationResult> {
    // The name of the session cookie is part of the key, because an encrypted session is valid only in the cookie of
    // this name. The name depends on the scheme of the request.
    const key = `${request.legacy.fingerprint} ${request.cookieSet.sessionToken.name}`
    return this.#inFlight.read(key, () => this.#signIn(request))
  }

  async #signIn({ req, res, cookieSet }: LegacyRequest): Promise<MigrationResult> {
    const runtime = this.#runtime
    const signal = AbortSignal.timeout(READ_TIMEOUT_MS)
    const legacySession = await this.#options.read(req, res)
    if (!legacySession) return null
    const callbackUrl = toLocalPath(req.method === "GET" ? runtime.config.proxyPrefix + fullTarget(req) : "")
    const { remember = true } = legacySession
    const options = { runtime, browser: { cookies: {}, cookieSet }, callbackUrl, remember, signal }
    return completeTrustedSignIn(legacySession, options).catch((error: unknown) => {
      if (!(error instanceof AccessDenied)) throw error
      runtime.logger.debug("session", `an old session is not migrated, because its user is refused: ${error.message}`)
      return null
    })
  }

  /** Ends the old session and clears its cookie. */
  async #endLegacySession(request: LegacyRequest): Promise<void> {
    const { req, res, legacy, cookieSet, marker } = request
    const ending = this.#options.end?.(req, res)
    if (isPromiseLike(ending))
      await withTimeout(ending, READ_TIMEOUT_MS, () => createTimeoutError("end")(READ_TIMEOUT_MS / 1000))
    const cleared = legacy.fingerprint + CLEARED
    if (marker === cleared) this.#warnIfCookieStays()
    addCookies(res, toSetCookies([this.#markerChange(cleared)], cookieSet))
    this.#clearLegacyCookie(request)
  }

  #clearLegacyCookie({ res, legacy, cookieSet }: LegacyRequest): void {
    // A cookie with a __Secure- or __Host- prefix can be cleared only with the Secure attribute.
    const { secure } = cookieSet.sessionToken.options
    addCookies(res, createClearingCookies(legacy, { path: "/", secure, ...this.#options.cookieOptions }))
  }

  #markerChange(value: string): CookieChange {
    return { put: "migrated", value, expires: this.#options.until }
  }

  #warnIfMountedTooLate(req: NodeRequest): void {
    const { logger, warnedOnce } = this.#runtime
    if (getContext(req)?.runtime === this.#runtime && warnedOnce.addIfAbsent("migration-order"))
      logger.warn(
        "migration-order",
        "migrateSession is mounted after authMiddleware, so the pages of authMiddleware ignore old sessions. Write app.use(migrateSession(…)) before app.use(authMiddleware(config))",
      )
  }

  #warnIfCookieStays(): void {
    const { logger, warnedOnce } = this.#runtime
    if (warnedOnce.addIfAbsent("old-cookie-not-cleared"))
      logger.warn(
        "old-cookie-not-cleared",
        `a browser still sends the cookie ${this.#names.join(", ")} after it was cleared. Set the option cookieOptions of migrateSession to the attributes with which the old library sets the cookie, for example cookieOptions: { domain: "example.com", path: "/" }`,
      )
  }
}

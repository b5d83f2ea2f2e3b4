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
  clearLegacyCookie,
  findLegacyCookie,
  type LegacyCookie,
  type LegacyCookieOptions,
} from "./legacy-cookie.js"
import { fullPath, fullTarget, type NodeRequest, type NodeResponse } from "./node.js"
import { isFromAnotherSite, isSecure } from "./origin.js"
import { getContext } from "./request-context.js"
import { addCookies } from "./send.js"
import { toLocalPath } from "./sign-in-address.js"

/** The user of an old session. */
export interface LegacySession {
  /**
   * With an adapter: the stored user with this `id`, else with this `email`, else a new user. Set an id only if the
   * adapter created it. The email address is treated as verified by your application. If the stored user's address was
   * unverified, the user's sessions end, and accounts and passkeys that do not verify the address are removed, as when
   * an email link is opened. With `emailVerified: null` the address is unverified, and no user is looked up by it.
   */
  user: TrustedUser
  /**
   * The account that the user signed in with. The `jwt` callback gets it, and an adapter stores it, so that a later
   * sign-in with the account leads to the same user. @default an account of type "credentials"
   */
  account?: Pick<Account, "provider" | "providerAccountId" | "type"> & Partial<Account>
  /** With `session.remember: "ask"`: false if the old cookie ends with the browser. @default true */
  remember?: boolean
}

/** The options of `migrateSession`. */
export interface MigrateSessionOptions {
  /**
   * The name of the old cookie, for example "appSession"; its chunks such as `appSession.0` are included. A list if the
   * session uses several cookies: `["session", "session.sig"]`.
   */
  cookie: string | readonly string[]
  /** The attributes of the old cookie. Browsers clear it only with the same domain and path. @default { path: "/" } */
  cookieOptions?: LegacyCookieOptions
  /** Old sessions are migrated until this date, at most a year ahead: the day on which the last old session ends. */
  until: Date
  /**
   * Returns the user of the request's old session, or null if the session is invalid, expired, signed out or anonymous.
   * It must not end the old session. If it throws or takes longer than 5 s, the error is passed to `next`, and nothing
   * changes.
   */
  read(req: NodeRequest, res: NodeResponse): Awaitable<LegacySession | null | undefined>
  /**
   * Deletes the request's old session from its store. Called when the browser sends its new session; it may be called
   * more than once.
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
  /** True if the request has a session cookie of this package, even an invalid one. */
  readonly hasOwnCookie: boolean
  /**
   * The value of the marker cookie, which is set with the new session: the fingerprint of the old session, with
   * `CLEARED` behind it once the old cookie was cleared.
   */
  readonly marker: string | undefined
}

const CLEARED = ".cleared"

/** The cookies of the new session or of the sign-in that waits for a requirement; null without an old session. */
type Migrated = Awaited<ReturnType<typeof completeTrustedSignIn>> | null

/** Creates the error for a call that takes too long. Without a timeout, it would block all requests of the browser. */
const createTimeoutError = (operation: string) => (seconds: number) =>
  new AuthError(`migrateSession: ${operation} did not settle within ${seconds} s`, {}, TIMED_OUT)

/**
 * Migrates sessions in two steps: a request with an old cookie gets a new session, and the old session ends when the
 * browser has sent the new cookie.
 */
export class SessionMigration {
  readonly #runtime: Runtime
  readonly #options: MigrateSessionOptions
  readonly #names: readonly string[]
  /** The migrations in progress: concurrent requests of a browser share one. */
  readonly #inFlight = createSingleFlight<Migrated>(createTimeoutError("read, or the adapter,"))

  constructor(runtime: Runtime, options: MigrateSessionOptions) {
    this.#runtime = runtime
    this.#options = options
    this.#names = [options.cookie].flat()
  }

  /** True after the date of the option `until`. */
  get hasEnded(): boolean {
    return this.#runtime.now() >= this.#options.until.getTime()
  }

  /** Migrates the session of a request. Returns undefined if there is nothing to do, as for most requests. */
  handle(req: NodeRequest, res: NodeResponse): Promise<void> | undefined {
    // A HEAD request must not change state (RFC 9110 §9.2.1), and a response that was sent can't set cookies.
    if (req.method === "HEAD" || res.headersSent) return undefined
    const request = this.#parseLegacyRequest(req, res)
    // An old cookie without SameSite, or with None, is sent with POSTs of other sites. Reject these requests, because
    // the cookies of this package have SameSite=Lax by default.
    if (!request || (req.method !== "GET" && isFromAnotherSite(req, this.#runtime))) return undefined
    return this.#migrate(request)
  }

  async #migrate(request: LegacyRequest): Promise<void> {
    // An invalid session cookie of this package counts too: a user who was signed out must stay signed out.
    if (request.hasOwnCookie || request.marker?.startsWith(request.legacy.fingerprint)) return this.#finish(request)
    return this.hasEnded ? this.#clear(request) : this.#start(request)
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

  /** True for an asset of this package: assets are public, so they set no cookie. The base path may be unknown here. */
  #isAsset(req: NodeRequest): boolean {
    const [folder, name = ""] = fullPath(req).split("/").slice(-2)
    return folder === "assets" && this.#runtime.pages.asset(name) !== undefined
  }

  async #start(request: LegacyRequest): Promise<void> {
    const { req, res, legacy, cookieSet } = request
    this.#warnIfMountedTooLate(req)
    // The sign-in of this browser waits already. The old session is kept until its requirements are met.
    if (await findPendingSignIn(request, this.#runtime)) return
    const migrated = await this.#signInOnce(request)
    if (!migrated) return this.#clear(request)
    const { cookies: changes, isPending } = migrated
    addCookies(res, toSetCookies(isPending ? changes : [...changes, this.#marker(legacy.fingerprint)], cookieSet))
    const puts = changes.filter((change) => "put" in change)
    appendRequestCookies(req, toSetCookies(puts, cookieSet))
  }

  async #signInOnce(request: LegacyRequest): Promise<Migrated> {
    // The cookie's name is part of the key, because an encrypted session is valid only under that name.
    const key = `${request.legacy.fingerprint} ${request.cookieSet.sessionToken.name}`
    return this.#inFlight.read(key, () => this.#signIn(request))
  }

  async #signIn({ req, res, cookieSet }: LegacyRequest): Promise<Migrated> {
    const runtime = this.#runtime
    const signal = AbortSignal.timeout(READ_TIMEOUT_MS)
    const found = await this.#options.read(req, res)
    if (!found) return null
    const callbackUrl = toLocalPath(req.method === "GET" ? runtime.config.proxyPrefix + fullTarget(req) : "")
    const { remember = true } = found
    const options = { runtime, browser: { cookies: {}, cookieSet }, callbackUrl, remember, signal }
    return completeTrustedSignIn(found, options).catch((error: unknown) => {
      if (!(error instanceof AccessDenied)) throw error
      runtime.logger.debug("session", "isActive refuses the user of an old session, which is treated as ended")
      return null
    })
  }

  /** Ends the old session and clears its cookie. */
  async #finish(request: LegacyRequest): Promise<void> {
    const { req, res, legacy, cookieSet, marker } = request
    const ending = this.#options.end?.(req, res)
    if (isPromiseLike(ending))
      await withTimeout(ending, READ_TIMEOUT_MS, () => createTimeoutError("end")(READ_TIMEOUT_MS / 1000))
    const cleared = legacy.fingerprint + CLEARED
    if (marker === cleared) this.#warnIfCookieStays()
    addCookies(res, toSetCookies([this.#marker(cleared)], cookieSet))
    this.#clear(request)
  }

  #clear({ res, legacy, cookieSet }: LegacyRequest): void {
    // A cookie with a __Secure- or __Host- prefix can be cleared only with the Secure attribute.
    const { secure } = cookieSet.sessionToken.options
    addCookies(res, clearLegacyCookie(legacy, { path: "/", secure, ...this.#options.cookieOptions }))
  }

  #marker(value: string): CookieChange {
    return { put: "migrated", value, expires: this.#options.until }
  }

  #warnIfMountedTooLate(req: NodeRequest): void {
    const { logger, warnedOnce } = this.#runtime
    if (getContext(req)?.runtime === this.#runtime && warnedOnce.addIfAbsent("migration-order"))
      logger.warn(
        "migration-order",
        "migrateSession is mounted after authMiddleware, whose own pages therefore ignore old sessions. Write app.use(migrateSession(…)) before app.use(authMiddleware(config))",
      )
  }

  #warnIfCookieStays(): void {
    const { logger, warnedOnce } = this.#runtime
    if (warnedOnce.addIfAbsent("old-cookie-not-cleared"))
      logger.warn(
        "old-cookie-not-cleared",
        `a browser still sends the cookie ${this.#names.join(", ")} after it was cleared. Give migrateSession the attributes that it was set with: cookieOptions: { domain: "example.com", path: "/" }`,
      )
  }
}

import { openSessionFor, requireTrustedUser } from "../accounts/trusted-user.js"
import { isPromiseLike } from "../awaitable.js"
import { coded } from "../error-codes.js"
import { AuthError } from "../errors.js"
import { type CookieChange, type CookieSet, chunkNames, parseCookies, toSetCookies } from "../http/cookies.js"
import type { Runtime } from "../runtime.js"
import { createSharedReads, READ_TIMEOUT_MS } from "../sessions/shared-reads.js"
import { withTimeout } from "../timeout.js"
import type { AdoptSessionOptions } from "./adopt-session.js"
import { fullPath, type NodeRequest, type NodeResponse } from "./node.js"
import { bringCookies, clearOldCookie, findOldCookie, type OldCookie } from "./old-cookie.js"
import { isFromAnotherSite, isSecure } from "./origin.js"
import { addCookies } from "./send.js"
import { visitOf } from "./visit.js"

/** A request with an old cookie. */
interface Meeting {
  readonly req: NodeRequest
  readonly res: NodeResponse
  readonly old: OldCookie
  readonly cookieSet: CookieSet
  /** Is there a session cookie of ours? */
  readonly isOurs: boolean
  /** What a browser holds that was given a session for an old one: the old one's mark, and whether it was cleared. */
  readonly marker: string | undefined
}

const CLEARED = ".cleared"

/** The error of whoever has waited in vain: what hangs once must not hold up all that the browser asks for. */
const tooLate = (what: string) => (seconds: number) => {
  const error = new AuthError(`adoptSession: ${what} gave no answer within ${seconds} s`)
  return coded("answer-too-late", Object.assign(error, { status: 503 }))
}

/** Gives sessions to browsers that have an old one, in two steps: the old one ends when the new one has arrived. */
export class Adoption {
  readonly #runtime: Runtime
  readonly #options: AdoptSessionOptions
  readonly #names: readonly string[]
  /** Sessions that are being opened: a browser's first requests come together. */
  readonly #underWay = createSharedReads<readonly CookieChange[] | null>(tooLate("read, or the store,"))

  constructor(runtime: Runtime, options: AdoptSessionOptions) {
    this.#runtime = runtime
    this.#options = options
    this.#names = [options.cookie].flat()
  }

  get isOver(): boolean {
    return this.#runtime.now() >= this.#options.until.getTime()
  }

  /** What is to be done for a request; undefined for most of them, which have no old cookie. */
  of(req: NodeRequest, res: NodeResponse): Promise<void> | undefined {
    // A HEAD must change nothing (RFC 9110 §9.2.1), and an answer that is on its way takes no cookies.
    if (req.method === "HEAD" || res.headersSent) return undefined
    const meeting = this.#meet(req, res)
    // Browsers send a cookie without SameSite, or with None, along with another site's POST; ours would not come.
    if (!meeting || (req.method !== "GET" && isFromAnotherSite(req, this.#runtime))) return undefined
    return this.#answer(meeting)
  }

  async #answer(meeting: Meeting): Promise<void> {
    // A session cookie of ours counts when it is good no more, too: whoever was signed out must stay it.
    if (meeting.isOurs || meeting.marker?.startsWith(meeting.old.mark)) return this.#finish(meeting)
    return this.isOver ? this.#clear(meeting) : this.#begin(meeting)
  }

  #meet(req: NodeRequest, res: NodeResponse): Meeting | undefined {
    const header = req.headers.cookie ?? ""
    if (!this.#names.some((name) => header.includes(name))) return undefined
    const cookies = parseCookies(header)
    const old = findOldCookie(cookies, this.#names)
    if (!old || this.#isAsset(req)) return undefined
    const cookieSet = this.#runtime.cookieSetFor(isSecure(req, this.#runtime) ? "https:" : "http:")
    const { sessionToken, formerSessionToken } = cookieSet
    const isOurs = [sessionToken, formerSessionToken].some(({ name }) => chunkNames(cookies, name).length > 0)
    return { req, res, old, cookieSet, isOurs, marker: cookies[cookieSet.adopted.name] }
  }

  /** Is it one of our own assets? They are public, so they set no cookie. The base path may not be known here. */
  #isAsset(req: NodeRequest): boolean {
    const [folder, name = ""] = fullPath(req).split("/").slice(-2)
    return folder === "assets" && this.#runtime.pages.asset(name) !== undefined
  }

  async #begin(meeting: Meeting): Promise<void> {
    const { req, res, old, cookieSet } = meeting
    this.#noticeOrder(req)
    const changes = await this.#openOnce(meeting)
    if (!changes) return this.#clear(meeting)
    addCookies(res, toSetCookies([...changes, this.#marker(old.mark)], cookieSet))
    const puts = changes.filter((change) => "put" in change)
    bringCookies(req, toSetCookies(puts, cookieSet))
  }

  async #openOnce(meeting: Meeting): Promise<readonly CookieChange[] | null> {
    // A sealed session is good under its cookie's own name alone.
    const key = `${meeting.old.mark} ${meeting.cookieSet.sessionToken.name}`
    return this.#underWay.read(key, () => this.#open(meeting))
  }

  async #open({ req, res, cookieSet }: Meeting): Promise<readonly CookieChange[] | null> {
    const runtime = this.#runtime
    const signal = AbortSignal.timeout(READ_TIMEOUT_MS)
    const found = await this.#options.read(req, res)
    if (!found) return null
    const { account } = found
    const user = await requireTrustedUser({ ...found, signal }, runtime)
    const opened = await openSessionFor(user, { runtime, browser: { cookies: {}, cookieSet }, account })
    return opened.cookies
  }

  async #finish(meeting: Meeting): Promise<void> {
    const { req, res, old, cookieSet, marker } = meeting
    const ending = this.#options.end?.(req, res)
    if (isPromiseLike(ending)) await withTimeout(ending, READ_TIMEOUT_MS, () => tooLate("end")(READ_TIMEOUT_MS / 1000))
    const cleared = old.mark + CLEARED
    if (marker === cleared) this.#noticeStaying()
    addCookies(res, toSetCookies([this.#marker(cleared)], cookieSet))
    this.#clear(meeting)
  }

  #clear({ res, old, cookieSet }: Meeting): void {
    // What a name with __Secure- or __Host- promises must hold when it is cleared, too.
    const { secure } = cookieSet.sessionToken.options
    addCookies(res, clearOldCookie(old, { path: "/", secure, ...this.#options.cookieOptions }))
  }

  #marker(value: string): CookieChange {
    return { put: "adopted", value, expires: this.#options.until }
  }

  #noticeOrder(req: NodeRequest): void {
    const { logger, said } = this.#runtime
    if (visitOf(req)?.runtime === this.#runtime && said.claim("adoption-order"))
      logger.warn(
        "adoption-order",
        "adoptSession stands behind authMiddleware, which answers its own addresses first: somebody with an old session is nobody there. Write app.use(adoptSession(…)) before app.use(authMiddleware(config))",
      )
  }

  #noticeStaying(): void {
    const { logger, said } = this.#runtime
    if (said.claim("old-cookie-stays"))
      logger.warn(
        "old-cookie-stays",
        `a browser still sends the cookie ${this.#names.join(", ")} after it was cleared. Give adoptSession the attributes that it was set with: cookieOptions: { domain: "example.com", path: "/" }`,
      )
  }
}

import { openFormValues } from "../actions/form-values.js"
import {
  type CookieChange,
  type CookieSet,
  parseCookiesFrom,
  parseSessionCookies,
  toSetCookies,
} from "../http/cookies.js"
import { publicProviders } from "../providers/public.js"
import type { Runtime } from "../runtime.js"
import { csrfTokenOf } from "../security/csrf.js"
import { requireTrustedHost } from "../security/trusted-host.js"
import type { ReadPurpose } from "../sessions/session.js"
import type { PublicProvider, Session, User } from "../types.js"
import type { NodeRequest, NodeResponse } from "./node.js"
import { isSecure, requireOrigin } from "./origin.js"
import { readText } from "./read-text.js"
import { addCookies } from "./send.js"

const READ: ReadPurpose = { mode: "read" }
const PEEK: ReadPurpose = { mode: "peek" }

/** Text for a place in HTML. */
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** One request of an application, and what of the authentication it has asked for so far. */
export class Visit {
  #session: Promise<Session | null> | undefined
  #user: User | undefined
  #csrfToken: string | undefined
  #formValues: Readonly<Record<string, string>> | undefined
  readonly #runtime: Runtime
  readonly #req: NodeRequest
  readonly #res: NodeResponse | undefined
  readonly #basePath: string

  /** `basePath` is worked out where the middleware hangs: below a router, the request says something else. */
  constructor(
    runtime: Runtime,
    req: NodeRequest,
    { res, basePath }: { res: NodeResponse | undefined; basePath: string },
  ) {
    this.#runtime = runtime
    this.#req = req
    this.#res = res
    this.#basePath = basePath
  }

  get runtime(): Runtime {
    return this.#runtime
  }

  /** Reads the session once, however often it is called. */
  getSession(): Promise<Session | null> {
    this.#session ??= this.#startRead()
    return this.#session
  }

  #startRead(): Promise<Session | null> {
    const session = this.#runtime.logger.isDebugging ? this.#readAndTell() : this.#readSession()
    // A handler may never await it, or await something else first: that must not end the process as an unhandled
    // rejection. Each `await` still throws.
    session.catch(() => {})
    return session
  }

  /**
   * Where this site's authentication is: its origin, and the path below which it is served.
   *
   * @throws UntrustedHost, BadRequest when no address can be made of the request
   */
  get place(): { readonly origin: string; readonly basePath: string } {
    const origin = requireOrigin(this.#req, this.#runtime)
    requireTrustedHost(origin, this.#runtime.config)
    return { origin, basePath: this.#runtime.config.proxyPrefix + this.#basePath }
  }

  /** Both together: every address begins with it. */
  get base(): string {
    const { origin, basePath } = this.place
    return origin + basePath
  }

  get user(): User | undefined {
    return this.#user
  }

  /** The token for this browser's forms; its cookie is set when it is first asked for. */
  get csrfToken(): string {
    this.#csrfToken ??= this.#issueCsrfToken()
    return this.#csrfToken
  }

  get csrfField(): string {
    return `<input type="hidden" name="csrfToken" value="${escapeHtml(this.csrfToken)}">`
  }

  /** What the sign-in form that failed shows again. The cookie is for one page. */
  get formValues(): Readonly<Record<string, string>> {
    this.#formValues ??= this.#takeFormValues()
    return this.#formValues
  }

  get providers(): PublicProvider[] {
    return publicProviders(this.#runtime, this.base)
  }

  get passkeyScript(): ViewAuth["passkeyScript"] {
    const { passkeyProvider, pages } = this.#runtime
    return passkeyProvider === undefined ? undefined : pages.assetsAt(this.place.basePath).passkeys
  }

  get #cookieSet(): CookieSet {
    const secure = this.#runtime.cookieSetFor("https:")
    if (isSecure(this.#req, this.#runtime)) return secure
    // An upgrade request knows of no proxy. Browsers send a cookie of this name over https only.
    const isSent = ({ name }: { readonly name: string }) => this.#req.headers.cookie?.includes(name)
    const isKnown = this.#req.protocol !== undefined
    const isPlain = isKnown || !(isSent(secure.sessionToken) || isSent(secure.formerSessionToken))
    return isPlain ? this.#runtime.cookieSetFor("http:") : secure
  }

  async #readSession(): Promise<Session | null> {
    const header = this.#req.headers.cookie
    if (!header) return null
    const cookieSet = this.#cookieSet
    const present = parseSessionCookies(cookieSet, header)
    const browser = { cookies: present, cookieSet, cookieHeader: header }
    const { session, cookies } = await this.#runtime.sessions.read(browser, this.#req.method === "HEAD" ? PEEK : READ)
    this.#user = session?.user
    if (cookies.length > 0) this.#send(cookies)
    return session
  }

  async #readAndTell(): Promise<Session | null> {
    const session = await this.#readSession()
    this.#runtime.logger.debug("session", readText(this.#req, session, this.#cookieSet))
    return session
  }

  #issueCsrfToken(): string {
    const { name } = this.#cookieSet.csrfToken
    const { secrets } = this.#runtime.keys
    const held = parseCookiesFrom(name, this.#req.headers.cookie)[name]
    const { token, cookie } = csrfTokenOf(held, secrets)
    if (cookie !== held) this.#send([{ put: "csrfToken", value: cookie }])
    return token
  }

  #takeFormValues(): Readonly<Record<string, string>> {
    const { name } = this.#cookieSet.formValues
    const value = parseCookiesFrom(name, this.#req.headers.cookie)[name]
    if (value === undefined) return {}
    this.#send([{ drop: "formValues" }])
    return openFormValues(value, this.#runtime)?.values ?? {}
  }

  #send(changes: readonly CookieChange[]): void {
    // A HEAD changes nothing (RFC 9110 §9.2.1).
    if (this.#req.method === "HEAD") return
    addCookies(this.#res, toSetCookies(changes, this.#cookieSet))
  }
}

/** What `res.locals.auth` offers to an application's views. */
export interface ViewAuth {
  /** The signed-in user, once the session was read. */
  readonly user: User | undefined
  /** The token that every POST must carry as `csrfToken`. */
  readonly csrfToken: string
  /** The hidden field with that token: `<%- auth.csrfField() %>`. */
  csrfField(): string
  /**
   * What the user typed into the sign-in form that has just failed, by the names of the fields: those that identify the
   * user, never a secret. Empty otherwise.
   *
   * @example
   * <input name="username" value="<%= auth.formValues.username %>">
   */
  readonly formValues: Readonly<Record<string, string | undefined>>
  /** The ways to sign in: a form for each, posted to its `signinUrl`. */
  readonly providers: readonly PublicProvider[]
  /** Address of the sign-in page. */
  readonly signInUrl: string
  /** Address that signs out, by a POST; a GET asks first. */
  readonly signOutUrl: string
  /** The script that forms with passkeys need, for a page of the application's own; undefined without such a provider. */
  readonly passkeyScript: { readonly href: string; readonly integrity: string } | undefined
}

/** A visit as views see it. Nothing is worked out before a view asks. */
export class VisitView implements ViewAuth {
  readonly #visit: Visit

  constructor(visit: Visit) {
    this.#visit = visit
  }

  static visitOf(view: unknown): Visit | undefined {
    return view instanceof VisitView ? view.#visit : undefined
  }

  get user(): User | undefined {
    return this.#visit.user
  }

  get csrfToken(): string {
    return this.#visit.csrfToken
  }

  csrfField(): string {
    return this.#visit.csrfField
  }

  get formValues(): ViewAuth["formValues"] {
    return this.#visit.formValues
  }

  get providers(): readonly PublicProvider[] {
    return this.#visit.providers
  }

  get signInUrl(): string {
    return `${this.#visit.base}/signin`
  }

  get signOutUrl(): string {
    return `${this.#visit.base}/signout`
  }

  get passkeyScript(): ViewAuth["passkeyScript"] {
    return this.#visit.passkeyScript
  }
}

const VISIT = Symbol("latchkey.visit")

type SessionReader = NonNullable<NodeRequest["getSession"]> & { [VISIT]?: Visit }

/**
 * Begins a visit: from here on the request has `getSession`.
 *
 * The function carries the visit, because every request of the application comes by here: a second property on the
 * request, or an entry in a WeakMap, would each cost more than all the rest of the middleware.
 */
export function beginVisit(req: NodeRequest, visit: Visit): void {
  const getSession: SessionReader = () => visit.getSession()
  getSession[VISIT] = visit
  req.getSession = getSession
}

/** The visit of a request; by what views have of it where the application has put a function of its own before ours. */
export function visitOf({ getSession, res }: NodeRequest): Visit | undefined {
  const reader: SessionReader | undefined = getSession
  return reader?.[VISIT] ?? VisitView.visitOf((res as NodeResponse | undefined)?.locals?.["auth"])
}

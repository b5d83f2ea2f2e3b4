import { readPendingSignIn } from "../accounts/pending-sign-in.js"
import { openFormValues } from "../actions/form-values.js"
import { type PublicProvider, publicProviders } from "../actions/providers.js"
import { requestAccess } from "../actions/request-access.js"
import { completeRequirement } from "../actions/requirement.js"
import type { CookieChange, PendingSignIn, Session, SessionAuthentication, User } from "../base/types.js"
import { coded } from "../errors/error-codes.js"
import { AuthError } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { type CookieSet, parseCookies, parseCookiesFrom, parseSessionCookies, toSetCookies } from "../http/cookies.js"
import type { Reply } from "../http/reply.js"
import { parseRequest } from "../http/request.js"
import type { AuthorizationRequest } from "../methods/method.js"
import { type PackageCopy, thisCopy } from "../package-copy.js"
import type { Runtime } from "../runtime/runtime.js"
import { getOrCreateCsrfToken } from "../security/csrf.js"
import { requireTrustedHost } from "../security/trusted-host.js"
import type { ReadPurpose, SessionCookies, SessionRead } from "../sessions/session.js"
import { describeRead } from "./describe-read.js"
import type { NodeRequest, NodeResponse } from "./node.js"
import { isSecure, readClientAddress, requireOrigin } from "./origin.js"
import { addCookies } from "./send.js"

/** Returns the headers of a request as pairs, without the pseudo-headers of HTTP/2. */
const copyHeaders = ({ headers }: NodeRequest): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name.startsWith(":") ? [] : [[name, String(value)]],
  )

const READ: ReadPurpose = { mode: "read" }
const PEEK: ReadPurpose = { mode: "peek" }

/** Escapes text for HTML. */
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** The session, the CSRF token and the URLs of one request. Each value is computed at its first use. */
export class RequestContext {
  #session: Promise<Session | null> | undefined
  #user: User | undefined
  #identifiers: Pick<SessionRead, "id" | "owner"> = {}
  #csrfToken: string | undefined
  #formValues: Readonly<Record<string, string>> | undefined
  readonly #runtime: Runtime
  readonly #req: NodeRequest
  readonly #res: NodeResponse | undefined
  readonly #basePath: string

  /**
   * The middleware passes `basePath`, because inside a router the mount path can't be read from the request any more.
   */
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

  /** The copy of this package that created the context. */
  get copy(): PackageCopy {
    return thisCopy()
  }

  /** Returns the session; null if there is none. The first call reads it, and later calls return the same promise. */
  getSession(): Promise<Session | null> {
    this.#session ??= this.#startRead()
    return this.#session
  }

  #startRead(): Promise<Session | null> {
    const session = this.#runtime.logger.isDebugging ? this.#readAndLogSession() : this.#readSession()
    // Prevents an unhandled rejection if no handler awaits the promise. A handler that awaits it still gets the error.
    session.catch(() => {})
    return session
  }

  /**
   * The site's origin, and the path of the endpoints as browsers request it.
   *
   * @throws UntrustedHost, BadRequest if the request's host is untrusted or invalid
   */
  get publicAddress(): { readonly origin: string; readonly basePath: string } {
    const origin = requireOrigin(this.#req, this.#runtime)
    requireTrustedHost(origin, this.#runtime.config)
    return { origin, basePath: this.#runtime.config.proxyPrefix + this.#basePath }
  }

  /** The base URL of the endpoints. */
  get base(): string {
    const { origin, basePath } = this.publicAddress
    return origin + basePath
  }

  /** The session's user. Undefined until `getSession` has read a session. */
  get user(): User | undefined {
    return this.#user
  }

  /** The session's id and owner. Empty until `getSession` has read a session. */
  get identifiers(): Pick<SessionRead, "id" | "owner"> {
    return this.#identifiers
  }

  /** Returns how and when the session's user was authenticated, including reauthentications; undefined if unknown. */
  readAuthentication(): Promise<SessionAuthentication | undefined> {
    return this.#runtime.sessions.authentication(this.#sessionCookies(this.#req.headers.cookie ?? ""))
  }

  #sessionCookies(cookieHeader: string): SessionCookies {
    const cookieSet = this.#cookieSet
    return { cookies: parseSessionCookies(cookieSet, cookieHeader), cookieSet, cookieHeader }
  }

  /** Returns the browser's pending sign-in, which waits until the user meets a requirement; null if there is none. */
  pendingSignIn(): Promise<PendingSignIn | null> {
    const browser = { cookies: parseCookies(this.#req.headers.cookie), cookieSet: this.#cookieSet }
    return readPendingSignIn(browser, this.base, this.#runtime)
  }

  /**
   * Marks a requirement as met, continues the pending sign-in, and sets the cookies. Resolves to the URL to redirect
   * to.
   */
  async completeRequirement(name: string, data?: unknown): Promise<{ redirectTo: string }> {
    const call = await this.#createCall("callback")
    return { redirectTo: this.#applyReply(await completeRequirement({ name, data }, call, this.#runtime)) }
  }

  /**
   * Starts a flow in which the user grants access at the provider of an existing account. Sets the cookies, and
   * resolves to the URL to redirect to. `target` is the path and query of the return URL on this site.
   */
  async requestAccess(provider: string, request: AuthorizationRequest, target: string): Promise<string> {
    const call = await this.#createCall(`signin/${provider}`)
    const callbackUrl = call.origin + target
    return this.#applyReply(await requestAccess(request, { ...call, callbackUrl }, this.#runtime))
  }

  /** Creates a call as if this browser had sent a GET request to an endpoint. */
  #createCall(path: string): Promise<AuthCall> {
    const { origin, basePath } = this.publicAddress
    const request = new Request(`${this.base}/${path}`, { headers: copyHeaders(this.#req) })
    const clientAddress = readClientAddress(this.#req)
    return parseRequest(request, { origin, basePath, cookieSet: this.#cookieSet, clientAddress })
  }

  /** Sets the cookies of a reply. Returns its redirect target, or the URL of the error page if it has none. */
  #applyReply({ location = `${this.base}/error`, cookies }: Reply): string {
    this.#setCookies(cookies)
    return location
  }

  /** The CSRF token of this browser. The first read sets its cookie, if the browser has no valid one. */
  get csrfToken(): string {
    this.#csrfToken ??= this.#issueCsrfToken()
    return this.#csrfToken
  }

  /** The hidden `<input>` with the CSRF token, as HTML. */
  get csrfField(): string {
    return `<input type="hidden" name="csrfToken" value="${escapeHtml(this.csrfToken)}">`
  }

  /**
   * The values that the user entered in the sign-in form that has just failed. The first read clears their cookie.
   */
  get formValues(): Readonly<Record<string, string>> {
    this.#formValues ??= this.#consumeFormValues()
    return this.#formValues
  }

  get providers(): PublicProvider[] {
    return publicProviders(this.#runtime, this.base)
  }

  get passkeyScript(): AuthLocals["passkeyScript"] {
    const { passkeyProviderId, pages } = this.#runtime
    return passkeyProviderId === undefined ? undefined : pages.assetLinks(this.publicAddress.basePath).passkeys
  }

  get #cookieSet(): CookieSet {
    const secure = this.#runtime.cookieSetFor("https:")
    if (isSecure(this.#req, this.#runtime)) return secure
    // An upgrade request does not pass through Express, so its scheme behind a proxy is unknown. A session cookie with
    // the name for https shows that the scheme is https, because browsers send this cookie only over https.
    const isSent = ({ name }: { readonly name: string }) => this.#req.headers.cookie?.includes(name)
    const isProtocolKnown = this.#req.protocol !== undefined
    const isHttp = isProtocolKnown || !(isSent(secure.sessionToken) || isSent(secure.formerSessionToken))
    return isHttp ? this.#runtime.cookieSetFor("http:") : secure
  }

  async #readSession(): Promise<Session | null> {
    const header = this.#req.headers.cookie
    if (!header) return null
    const { "user-agent": userAgent } = this.#req.headers
    // The address for the session's record. This read writes the record if the session is not registered yet, for
    // example because it was created before the application had a store.
    const clientAddress = this.#runtime.config.session.recordAddress ? readClientAddress(this.#req) : undefined
    const browser = { ...this.#sessionCookies(header), userAgent, clientAddress }
    // If no cookie can be set, the session is not extended, because its record would be valid longer than its cookie.
    const purpose = this.#req.method === "HEAD" || !this.#res ? PEEK : READ
    const { session, cookies, id, owner } = await this.#runtime.sessions.read(browser, purpose)
    if (session) this.#identifiers = { id, owner }
    this.#user = session ? (session.user ?? {}) : undefined
    if (cookies.length > 0) this.#setCookies(cookies)
    return session
  }

  async #readAndLogSession(): Promise<Session | null> {
    const session = await this.#readSession()
    this.#runtime.logger.debug("session", describeRead(this.#req, session, this.#cookieSet))
    return session
  }

  #issueCsrfToken(): string {
    const { name } = this.#cookieSet.csrfToken
    const { secrets } = this.#runtime.keys
    const existing = parseCookiesFrom(name, this.#req.headers.cookie)[name]
    const { token, cookie } = getOrCreateCsrfToken(existing, secrets)
    if (cookie !== existing) this.#setCookies([{ put: "csrfToken", value: cookie }])
    return token
  }

  #consumeFormValues(): Readonly<Record<string, string>> {
    const { name } = this.#cookieSet.formValues
    const value = parseCookiesFrom(name, this.#req.headers.cookie)[name]
    if (value === undefined) return {}
    this.#setCookies([{ drop: "formValues" }])
    const found = openFormValues(value, this.#runtime)
    return { ...found?.values, ...(found?.remember && { remember: "true" }) }
  }

  #setCookies(changes: readonly CookieChange[]): void {
    // A HEAD request must not change state (RFC 9110 §9.2.1).
    if (this.#req.method === "HEAD") return
    addCookies(this.#res, toSetCookies(changes, this.#cookieSet))
  }
}

/** A global symbol, because a process may load this package both as ES modules and as CommonJS. */
const CONTEXT = Symbol.for("latchkey.request-context")

/** `res.locals.auth`, for an application's views. */
export interface AuthLocals {
  /**
   * The current user. Undefined if there is no session, or if none of `requireAuth`, `optionalAuth` and `getSession`
   * has read it yet.
   */
  readonly user: User | undefined
  /** The CSRF token. Every POST request to this package must contain it in the field `csrfToken`. */
  readonly csrfToken: string
  /** Returns the HTML of a hidden field with the CSRF token: `<%- auth.csrfField() %>`. */
  csrfField(): string
  /**
   * What the user entered in the sign-in form that has just failed, by field name. Contains only fields that identify
   * the user, and no secrets. Also contains `remember` if the user has chosen to stay signed in. Empty if no form has
   * just failed.
   *
   * @example
   * <input name="username" value="<%= auth.formValues.username %>">
   */
  readonly formValues: Readonly<Record<string, string | undefined>>
  /** The providers. To start a sign-in, post a form to the provider's `signinUrl`. */
  readonly providers: readonly PublicProvider[]
  /** The URL of the sign-in page. */
  readonly signInUrl: string
  /** The URL that signs out. A POST request signs out at once; a GET request shows a confirmation page. */
  readonly signOutUrl: string
  /** The script for passkey forms on the application's own pages; undefined without a passkey provider. */
  readonly passkeyScript: { readonly href: string; readonly integrity: string } | undefined
}

/** Exposes the request context to views. Each value is computed when a view reads it. */
export class RequestLocals implements AuthLocals {
  readonly #context: RequestContext

  constructor(context: RequestContext) {
    this.#context = context
  }

  get [CONTEXT](): RequestContext {
    return this.#context
  }

  get user(): User | undefined {
    return this.#context.user
  }

  get csrfToken(): string {
    return this.#context.csrfToken
  }

  csrfField(): string {
    return this.#context.csrfField
  }

  get formValues(): AuthLocals["formValues"] {
    return this.#context.formValues
  }

  get providers(): readonly PublicProvider[] {
    return this.#context.providers
  }

  get signInUrl(): string {
    return `${this.#context.base}/signin`
  }

  get signOutUrl(): string {
    return `${this.#context.base}/signout`
  }

  get passkeyScript(): AuthLocals["passkeyScript"] {
    return this.#context.passkeyScript
  }
}

type SessionReader = NonNullable<NodeRequest["getSession"]> & { [CONTEXT]?: RequestContext }

/**
 * Adds `getSession` to a request, and stores the context as a property of that function. A second property of the
 * request, or an entry in a WeakMap, would take longer than the rest of the middleware, which runs for every request of
 * the application. If sign-ins can have requirements, also adds `pendingSignIn` and `completeRequirement`.
 */
export function attachContext(req: NodeRequest, context: RequestContext): void {
  const getSession: SessionReader = () => context.getSession()
  getSession[CONTEXT] = context
  req.getSession = getSession
  if (context.runtime.requirements.length === 0) return
  req.pendingSignIn = () => context.pendingSignIn()
  req.completeRequirement = (name, data) => context.completeRequirement(name, data)
}

/**
 * Returns the context of a request; undefined if the middleware has not run. If the application has replaced
 * `req.getSession`, the context is read from `res.locals.auth`. Another copy of this package may have created the
 * context, so call `requireSameVersion` before you use more than its `runtime`.
 */
export function getContext({ getSession, res }: NodeRequest): RequestContext | undefined {
  const reader: SessionReader | undefined = getSession
  const locals = (res as NodeResponse | undefined)?.locals?.["auth"] as Partial<RequestLocals> | undefined
  return reader?.[CONTEXT] ?? locals?.[CONTEXT]
}

const describeCopy = ({ version, folder }: PackageCopy): string => `${version} (${folder})`

/**
 * Rejects a context that another version of this package created, because its members may differ. The ES modules and
 * the CommonJS build of one version can share contexts.
 *
 * @throws AuthError with both versions and folders
 */
export function requireSameVersion(context: { readonly copy: PackageCopy }): void {
  if (context instanceof RequestContext) return
  const { copy: contextCopy } = context
  const ownCopy = thisCopy()
  if (contextCopy.version === ownCopy.version) return
  const message = `two versions of latchkey are installed: authMiddleware is from ${describeCopy(contextCopy)}, and the guard of this route is from ${describeCopy(ownCopy)}. Run npm ls latchkey to see which packages depend on them, and install one version for all: npm install latchkey@${contextCopy.version}`
  throw coded("package-duplicated", new AuthError(message))
}

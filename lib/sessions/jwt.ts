import type { ResolvedConfig } from "../config/resolve.js"
import { coded } from "../error-codes.js"
import {
  type AuthError,
  asAuthError,
  asError,
  CallbackRouteError,
  JWTSessionError,
  UnsupportedStrategy,
} from "../errors.js"
import { type CookieChange, putChunked } from "../http/cookies.js"
import type { JWT } from "../jwt.js"
import type { Runtime } from "../runtime.js"
import { CONFLICT } from "../security/session-values.js"
import type { Awaitable, DefaultSession, Session } from "../types.js"
import { dropFormer, dropSession } from "./browser-session.js"
import { type Codec, createCodec } from "./codec.js"
import { requireBudget } from "./cookie-budget.js"
import { createEnded, type Ended } from "./ended.js"
import { createLately, type Lately, type Renewal } from "./lately.js"
import type { ReadPurpose, SessionCookies, SessionRead, SessionStrategy, SignedIn } from "./session.js"
import { createSharedReads } from "./shared-reads.js"
import { createTokenLife, type Life, type TokenLife } from "./token-life.js"
import { createTokens, nameIn, type OpenedToken, secondsOfLately, type Tokens } from "./tokens.js"

type Context = Pick<Runtime, "callbacks" | "emit" | "logger" | "now"> & { readonly config: ResolvedConfig }

/** How claims are sealed: until when, and in place of which token, unless for one request alone. */
interface Sealing extends Life {
  readonly provenEmail?: string | undefined
  readonly replaces?: string | undefined
  /** Characters of that token. */
  readonly replacedLength?: number
}

/** Claims of our own that a session of Auth.js gets when it is renewed. */
const RENEWAL_GROWTH = 256

/** The application's function failed: that is the application's error, and signs nobody out. */
const failureOf =
  (name: "jwt" | "session") =>
  (error: unknown): never => {
    const facts = { err: asError(error), callback: name }
    throw asAuthError(error) ?? new CallbackRouteError(`callbacks.${name} threw an error`, facts)
  }

const tooLate = (seconds: number): AuthError => {
  const error = new CallbackRouteError(`callbacks.jwt gave no answer within ${seconds} s`, { callback: "jwt" })
  return coded("answer-too-late", Object.assign(error, { status: 503 }))
}

const tooLarge = (error: unknown): AuthError =>
  coded(
    "session-too-large",
    new JWTSessionError(`the session is too large for cookies: ${asError(error).message}`, { err: asError(error) }),
  )

/** A session as it is shown without the application's callback. */
const sessionOf = ({ name, email, picture }: JWT, expires: string): Session => ({
  user: { name, email, image: picture },
  expires,
})

/** The claims of a session that begins (contract of Auth.js). */
const claimsOf = ({ user }: SignedIn): JWT => ({
  name: user.name,
  email: user.email,
  picture: user.image,
  ...(user.id !== undefined && { sub: String(user.id) }),
})

const provenEmailIn = ({ session_proven_email }: JWT): string | undefined =>
  typeof session_proven_email === "string" ? session_proven_email : undefined

/** A boolean, say, would make a session of nobody out of somebody's. */
function requireClaims(made: JWT | null): JWT | null {
  if (!made) return null
  if (typeof made === "object" && !Array.isArray(made)) return made
  throw new TypeError("callbacks.jwt gave something else than claims: return the token, or null to end the session")
}

class JwtSessions implements SessionStrategy {
  readonly #context: Context
  readonly #codec: Codec
  readonly #tokens: Tokens
  /** Reads under way, by token: requests that come at once ask the `jwt` callback once. Its answer is kept as JSON. */
  readonly #underWay = createSharedReads<string | null>(tooLate)
  readonly #renewals: Lately<Renewal>
  readonly #life: TokenLife
  readonly #ended: Ended

  constructor(context: Context) {
    this.#context = context
    const { config, now } = context
    this.#renewals = createLately(secondsOfLately(config), now)
    this.#life = createTokenLife(config.session, now)
    this.#ended = createEnded(now)
    this.#codec = createCodec(config, now)
    this.#tokens = createTokens({ ...context, codec: this.#codec, life: this.#life })
  }

  async read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead> {
    const begunAt = this.#ended.count
    const found = await this.#tokens.find(browser)
    // Without this site's own cookie, the planted one alone would be the browser's session.
    if (found === CONFLICT) return { session: null, cookies: [] }
    const made = found && this.#context.config.callbacks.jwt ? await this.#applyCallback(found, purpose) : undefined
    if (!found || made === null)
      return { session: null, cookies: this.#ended.changesFor(browser, dropSession(browser)) }
    try {
      return await this.#tell(found, made, { browser, purpose, begunAt })
    } catch (error) {
      // What can't be shown of an update must not be in the way of those who come with the same token.
      if (made !== undefined && purpose.mode === "update") this.#tokens.takeBack(found, made)
      throw error
    }
  }

  /** The session of a token, of which the application's callback has `made` something else where it has one. */
  async #tell(
    found: OpenedToken,
    made: string | undefined,
    { browser, purpose, begunAt }: { browser: SessionCookies; purpose: ReadPurpose; begunAt: number },
  ): Promise<SessionRead> {
    const { callbacks, events } = this.#context.config
    const token: JWT = made === undefined ? found.claims : JSON.parse(made)
    const isChanged = made !== undefined && made !== found.before
    const isFormer = found.name !== nameIn(browser)
    const isPeek = purpose.mode === "peek"
    const isOwn = isChanged || purpose.mode !== "read"
    const rolls = !isPeek && (isOwn || isFormer || this.#life.isDue(found.claims))
    const sealing = rolls ? this.#sealingOf(found, { isOwn }, browser) : undefined
    const renewed = sealing ? await this.#renew(token, browser, sealing) : []
    // A session that is too large for its cookies ends with those that the browser has.
    const end = sealing && renewed.length > 0 ? sealing.end.toISOString() : found.expires
    const shown = sessionOf(token, end ?? this.#life.of(found.claims).end.toISOString())
    const session = callbacks.session ? ((await this.#show(shown, token)) ?? null) : shown
    // The browser takes the last cookie that it gets: one with what the token said before would undo the change.
    const isOvertaken = made !== undefined && !isChanged && this.#tokens.isOvertaken(found, made)
    const cookies = isOvertaken ? [] : renewed
    // The next request of a browser that has peeked gets the change: its refresh token may be used up already.
    if (isChanged && cookies.length === 0 && !isPeek) this.#tokens.takeBack(found, made)
    if (events.session && session) await this.#context.emit("session", { session, token })
    if (cookies.length === 0) return { session, cookies }
    const begun = { at: begunAt, owner: found.claims.sub }
    return { session, cookies: this.#ended.changesFor(browser, cookies, begun) }
  }

  async open(signedIn: SignedIn, browser: SessionCookies): Promise<readonly CookieChange[]> {
    const { user, account, profile, isNewUser, provenEmail } = signedIn
    const token = await this.#context.callbacks
      .jwt({
        token: claimsOf(signedIn),
        user,
        account,
        ...(profile && { profile }),
        ...(isNewUser !== undefined && { isNewUser }),
        trigger: isNewUser ? "signUp" : "signIn",
      })
      .then(requireClaims)
      .catch(failureOf("jwt"))
    const cookies = token
      ? await this.#write(token, browser, { ...this.#life.of({}), provenEmail })
      : dropSession(browser)
    this.#ended.note(browser, "replaced")
    const replaced = await this.#tokens.find(browser)
    if (replaced && replaced !== CONFLICT) this.#ended.noteOwner(replaced.claims.sub)
    return cookies
  }

  async close(browser: SessionCookies): Promise<readonly CookieChange[]> {
    const dropped = dropSession(browser)
    if (dropped.length === 0) return []
    this.#ended.note(browser, "closed")
    const found = await this.#tokens.find(browser)
    if (!found || found === CONFLICT) return dropped
    this.#ended.noteOwner(found.claims.sub)
    await this.#context.emit("signOut", { token: this.#tokens.latest(found).token })
    // What the callback was asked before it could know of this must not answer whoever asks afterwards.
    this.#underWay.forget(found.value)
    return dropped
  }

  async closeAll(): Promise<void> {
    throw new UnsupportedStrategy(
      'sessions are in the browsers\' cookies, where nobody can delete them. Give callbacks.jwt a moment for each user before which sessions are over (docs/sessions.md, "Signing out everywhere"), or set session.strategy to "database"',
    )
  }

  async currentUserId(browser: SessionCookies, { asks = false } = {}): Promise<string | undefined> {
    const found = await this.#tokens.find(browser)
    if (!found || found === CONFLICT) return undefined
    if (!asks || !this.#context.config.callbacks.jwt) return this.#tokens.latest(found).token.sub
    const made = await this.#applyCallback(found, { mode: "read" })
    return made === null ? undefined : (JSON.parse(made) as JWT).sub
  }

  async provenEmail(browser: SessionCookies): Promise<string | undefined> {
    const found = await this.#tokens.find(browser)
    return found === undefined || found === CONFLICT ? undefined : provenEmailIn(found.claims)
  }

  /** The claims as the application's callback has them, as JSON: each reader makes a copy of its own. */
  #applyCallback(found: OpenedToken, purpose: ReadPurpose): Promise<string | null> {
    return this.#callJwt(found, purpose).catch(failureOf("jwt"))
  }

  async #callJwt(found: OpenedToken, purpose: ReadPurpose): Promise<string | null> {
    const { callbacks } = this.#context
    // The contract calls it without a user here, although its type has one.
    type Params = Parameters<typeof callbacks.jwt>[0]
    const ask = async (more: object): Promise<string | null> => {
      const { token, text } = this.#tokens.latest(found)
      const result = requireClaims(await callbacks.jwt({ token, ...more } as Params))
      if (!result) return null
      const made = JSON.stringify(result)
      this.#tokens.note(found, made, text)
      return made
    }
    if (purpose.mode === "update") return ask({ trigger: "update", session: purpose.data })
    // Until it is noted what was made: in between, another would ask once more.
    return this.#underWay.read(found.value, () => ask({ session: undefined }))
  }

  /** The session as the application's callback shows it, if it does. */
  #show(session: Session, token: JWT): Promise<Session | DefaultSession | undefined> {
    // With this strategy there is a token and no user, and what a client posted went to `jwt`; the contract's type has all.
    const { callbacks } = this.#context
    const params = { session, token } as Parameters<typeof callbacks.session>[0]
    return callbacks.session(params).catch(failureOf("session"))
  }

  /** What one request alone wants written is nobody else's; a renewal is for all who come with the same token. */
  #sealingOf({ value, claims }: OpenedToken, { isOwn }: { isOwn: boolean }, browser: SessionCookies): Sealing {
    const life = { ...this.#life.of(claims), provenEmail: provenEmailIn(claims), replacedLength: value.length }
    if (isOwn) return life
    const replaces = `${nameIn(browser)}=${value}`
    return { ...life, replaces, end: this.#renewals.get(replaces)?.end ?? life.end }
  }

  async #seal(token: JWT, name: string, { replaces, ...life }: Sealing): Promise<Renewal> {
    const known = replaces === undefined ? undefined : this.#renewals.get(replaces)
    if (known) return known
    const renewal = { value: await this.#encode(token, name, life), end: life.end }
    if (replaces !== undefined) this.#renewals.set(replaces, renewal)
    return renewal
  }

  /** Claims about the session itself are kept whatever the application's callback returns. */
  #encode(token: JWT, name: string, { absolute, provenEmail }: Sealing): Awaitable<string> {
    if (!absolute && provenEmail === undefined) return this.#codec.encode(token, name)
    const claims = {
      ...token,
      ...(absolute && { session_start: absolute.start }),
      ...(provenEmail !== undefined && { session_proven_email: provenEmail }),
    }
    return this.#codec.encode(claims, name, absolute?.secondsLeft)
  }

  async #write(token: JWT, browser: SessionCookies, sealing: Sealing): Promise<CookieChange[]> {
    const { replacedLength = -Infinity } = sealing
    const name = nameIn(browser)
    const { value, end } = await this.#seal(token, name, sealing)
    const { sessionToken: cookie } = browser.cookieSet
    try {
      const puts = putChunked("sessionToken", { value, expires: end, present: browser.cookies, cookie })
      // Larger sessions of Auth.js stay: what came so far will come again.
      if (value.length > replacedLength + RENEWAL_GROWTH)
        requireBudget(puts, browser, this.#context.config.session.maxCookieSize)
      return [...dropFormer(browser), ...puts]
    } catch (error) {
      throw tooLarge(error)
    }
  }

  /** A session that has grown too large goes on as it was. */
  async #renew(token: JWT, browser: SessionCookies, sealing: Sealing): Promise<CookieChange[]> {
    try {
      return await this.#write(token, browser, sealing)
    } catch (error) {
      this.#context.logger.error(asError(error))
      return []
    }
  }
}

export const createJwtSessions = (context: Context): SessionStrategy => new JwtSessions(context)

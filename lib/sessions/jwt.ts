/**
 * Sessions in an encrypted cookie.
 *
 * @module
 */
import { isPromiseLike } from "../awaitable.js"
import type { ResolvedConfig } from "../config/resolve.js"
import {
  type AuthError,
  asAuthError,
  asError,
  CallbackRouteError,
  JWTSessionError,
  UnsupportedStrategy,
} from "../errors.js"
import { type CookieChange, chunkNames, dropChunked, putChunked, readChunked } from "../http/cookies.js"
import { readFurther } from "../http/same-name.js"
import type { JWT } from "../jwt.js"
import type { Runtime } from "../runtime.js"
import type { Awaitable, DefaultSession, Session } from "../types.js"
import { type Codec, createCodec, type Decoded } from "./codec.js"
import { createRefusalLog } from "./refusals.js"
import { createRenewals, type Renewal, type Renewals } from "./renewals.js"
import type { ReadPurpose, SessionCookies, SessionRead, SessionStrategy, SignedIn } from "./session.js"
import { createTokenLife, type Life, type TokenLife } from "./token-life.js"

type Context = Pick<Runtime, "callbacks" | "emit" | "logger" | "now"> & { readonly config: ResolvedConfig }

interface OpenedToken {
  /** As it stands in the cookie. */
  readonly value: string
  readonly token: JWT
  /** Its end as text. */
  readonly expires: string | undefined
  /** The claims as text, from before the application's callback; empty where it has none. */
  readonly before: string
}

/** How claims are sealed: until when, and in place of which token, unless for one request alone. */
interface Sealing extends Life {
  readonly replaces?: string | undefined
}

/** The application's function failed: that is the application's error, and signs nobody out. */
const failureOf =
  (name: "jwt" | "session") =>
  (error: unknown): never => {
    const facts = { err: asError(error), callback: name }
    throw asAuthError(error) ?? new CallbackRouteError(`callbacks.${name} threw an error`, facts)
  }

const tooLarge = (error: unknown): AuthError =>
  new JWTSessionError("the session is too large for a cookie: return less from callbacks.jwt, or use an adapter", {
    err: asError(error),
  })

const nameIn = ({ cookieSet }: SessionCookies): string => cookieSet.sessionToken.name

const dropped = (browser: SessionCookies): CookieChange[] =>
  dropChunked("sessionToken", browser.cookies, nameIn(browser))

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

class JwtSessions implements SessionStrategy {
  readonly #context: Context
  readonly #codec: Codec
  /** Reads under way, by token: requests that come at once ask the `jwt` callback once. */
  readonly #underWay = new Map<string, Promise<JWT | null>>()
  readonly #renewals: Renewals
  readonly #life: TokenLife
  readonly #refuse: (reason: Error) => void

  constructor(context: Context) {
    this.#context = context
    this.#refuse = createRefusalLog(context.logger, context.now)
    const { session, jwt } = context.config
    this.#renewals = createRenewals(Math.min(session.updateAge, session.maxAge, jwt.maxAge), context.now)
    this.#life = createTokenLife(session, context.now)
    this.#codec = createCodec(context.config, context.now)
  }

  async read(browser: SessionCookies, purpose: ReadPurpose): Promise<SessionRead> {
    const { callbacks, events } = this.#context.config
    const found = await this.#find(browser)
    const token = found && (callbacks.jwt ? await this.#applyCallback(found, purpose) : found.token)
    if (!found || !token) return { session: null, cookies: dropped(browser) }
    const isChanged = found.before !== "" && JSON.stringify(token) !== found.before
    const rolls = isChanged || purpose.mode !== "read" || this.#life.isDue(found.token)
    const sealing = rolls ? this.#sealingOf(found, { isOwn: isChanged || purpose.mode !== "read" }, browser) : undefined
    const shown = sessionOf(
      token,
      sealing?.end.toISOString() ?? found.expires ?? this.#life.of(found.token).end.toISOString(),
    )
    const session = callbacks.session ? await this.#show(shown, token) : shown
    const cookies = sealing ? await this.#renew(token, browser, sealing) : []
    if (events.session) await this.#context.emit("session", { session, token })
    return { session, cookies }
  }

  async open(signedIn: SignedIn, browser: SessionCookies): Promise<readonly CookieChange[]> {
    const { user, account, profile, isNewUser } = signedIn
    const token = await this.#context.callbacks
      .jwt({
        token: claimsOf(signedIn),
        user,
        account,
        ...(profile && { profile }),
        ...(isNewUser !== undefined && { isNewUser }),
        trigger: isNewUser ? "signUp" : "signIn",
      })
      .catch(failureOf("jwt"))
    return token ? this.#write(token, browser, this.#life.of({})) : dropped(browser)
  }

  async close(browser: SessionCookies): Promise<readonly CookieChange[]> {
    if (chunkNames(browser.cookies, nameIn(browser)).length === 0) return []
    const found = await this.#find(browser)
    if (found) await this.#context.emit("signOut", { token: found.token })
    return dropped(browser)
  }

  async closeAll(): Promise<void> {
    throw new UnsupportedStrategy(
      'sessions are in the browsers\' cookies, where nobody can delete them. Give callbacks.jwt a moment for each user before which sessions are over (docs/sessions.md, "Signing out everywhere"), or set session.strategy to "database"',
    )
  }

  async currentUserId(browser: SessionCookies, { asks = false } = {}): Promise<string | undefined> {
    const found = await this.#find(browser)
    if (!found || !asks || !this.#context.config.callbacks.jwt) return found?.token.sub
    return (await this.#applyCallback(found, { mode: "read" }))?.sub
  }

  /** The first of the browser's values that opens. Of several with one name, neighbours may have put theirs first. */
  #find(browser: SessionCookies): Promise<OpenedToken | undefined> {
    const name = nameIn(browser)
    return this.#openFirst(readChunked(browser.cookies, name), name, () => readFurther(browser.cookieHeader, name))
  }

  async #openFirst(
    values: readonly string[],
    name: string,
    further: () => readonly string[],
  ): Promise<OpenedToken | undefined> {
    const refusals: Error[] = []
    for (const value of values) {
      try {
        const decoding = this.#codec.decode(value, name)
        const decoded = isPromiseLike(decoding) ? await decoding : decoding
        if (decoded instanceof Error) refusals.push(decoded)
        else if (decoded && !this.#life.isOver(decoded.claims)) return this.#opened(value, decoded)
      } catch (error) {
        refusals.push(asError(error))
      }
    }
    const others = further()
    const found = others.length > 0 ? await this.#openFirst(others, name, () => []) : undefined
    if (!found) for (const refusal of refusals) this.#refuse(refusal)
    return found
  }

  #opened(value: string, { claims, expires }: Decoded): OpenedToken {
    const before = this.#context.config.callbacks.jwt ? JSON.stringify(claims) : ""
    return { value, token: claims, expires, before }
  }

  /** The claims as the application's callback has them. It may write on its own: ours tell when the session began. */
  #applyCallback(found: OpenedToken, purpose: ReadPurpose): Promise<JWT | null> {
    return this.#callJwt({ ...found, token: { ...found.token } }, purpose).catch(failureOf("jwt"))
  }

  async #callJwt({ value, token }: OpenedToken, purpose: ReadPurpose): Promise<JWT | null> {
    const { callbacks } = this.#context
    // The contract calls it without a user here, although its type has one.
    type Params = Parameters<typeof callbacks.jwt>[0]
    if (purpose.mode === "update") return callbacks.jwt({ token, trigger: "update", session: purpose.data } as Params)
    const ask = () => callbacks.jwt({ token, session: undefined } as Params)
    const shared = this.#underWay.get(value) ?? ask().finally(() => this.#underWay.delete(value))
    this.#underWay.set(value, shared)
    const result = await shared
    // Each reader gets its own copy, as from the cookie: what one request changes, another must not see.
    return result && JSON.parse(JSON.stringify(result))
  }

  /** The session as the application's callback shows it. */
  #show(session: Session, token: JWT): Promise<Session | DefaultSession> {
    // With this strategy there is a token and no user, and what a client posted went to `jwt`; the contract's type has all.
    const { callbacks } = this.#context
    const params = { session, token } as Parameters<typeof callbacks.session>[0]
    return callbacks.session(params).catch(failureOf("session"))
  }

  /** What one request alone wants written is nobody else's; a renewal is for all who come with the same token. */
  #sealingOf({ value, token }: OpenedToken, { isOwn }: { isOwn: boolean }, browser: SessionCookies): Sealing {
    const life = this.#life.of(token)
    if (isOwn) return life
    const replaces = `${nameIn(browser)}=${value}`
    return { ...life, replaces, end: this.#renewals.get(replaces)?.end ?? life.end }
  }

  async #seal(token: JWT, name: string, { replaces, ...life }: Sealing): Promise<Renewal> {
    const known = replaces === undefined ? undefined : this.#renewals.get(replaces)
    if (known) return known
    const madeAt = this.#context.now()
    const renewal = { value: await this.#encode(token, name, life), end: life.end, madeAt }
    if (replaces !== undefined) this.#renewals.set(replaces, renewal)
    return renewal
  }

  /** The start stands in the claims whatever the application's callback has made of them. */
  #encode(token: JWT, name: string, { absolute }: Life): Awaitable<string> {
    if (!absolute) return this.#codec.encode(token, name)
    return this.#codec.encode({ ...token, session_start: absolute.start }, name, absolute.secondsLeft)
  }

  async #write(token: JWT, browser: SessionCookies, sealing: Sealing): Promise<CookieChange[]> {
    const name = nameIn(browser)
    const { value, end } = await this.#seal(token, name, sealing)
    try {
      return putChunked("sessionToken", { value, expires: end, present: browser.cookies, name })
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

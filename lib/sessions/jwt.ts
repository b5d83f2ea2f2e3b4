/**
 * Sessions in an encrypted cookie.
 *
 * @module
 */
import type { ResolvedConfig } from "../config/resolve.js"
import { type AuthError, asAuthError, asError, CallbackRouteError, JWTSessionError } from "../errors.js"
import { type CookieChange, chunkNames, dropChunked, putChunked, readChunked } from "../http/cookies.js"
import type { JWT } from "../jwt.js"
import type { Runtime } from "../runtime.js"
import { createKeyring, type Keyring, readClaims, seal, unseal } from "../security/jwe.js"
import { createLru, type Lru } from "../security/lru.js"
import type { ReadPurpose, SessionCookies, SessionRead, SessionStrategy, SignedIn } from "./session.js"

type Context = Pick<Runtime, "callbacks" | "emit" | "logger" | "now"> & { readonly config: ResolvedConfig }

/** Sessions whose cookie is opened only once: some megabytes. Only what opened gets in, so strangers can't fill it. */
const OPENED_TOKENS = 2_000

/** Seals and opens session tokens, by the application's functions where it has its own. */
interface Codec {
  encode(token: JWT, salt: string): string | PromiseLike<string>
  decode(token: string, salt: string): JWT | null | PromiseLike<JWT | null>
}

function createCodec({ config, now }: Context): Codec {
  const { encode, decode, maxAge, secrets } = config.jwt
  const keys: Keyring = createKeyring(secrets)
  const secret = [...secrets]
  // Text, not claims: each reader parses its own, so that what one request changes no other sees.
  const openedBySalt = new Map<string, Lru<string>>()
  const openSeal = (token: string, salt: string): JWT => {
    // By cookie name: a token that is good under one name is not under another.
    const opened = openedBySalt.get(salt) ?? createLru<string>(OPENED_TOKENS)
    openedBySalt.set(salt, opened)
    const known = opened.get(token)
    const plaintext = known ?? unseal(token, keys.for(salt))
    if (known === undefined) opened.set(token, plaintext)
    return readClaims(plaintext, now())
  }
  return {
    encode: (token, salt) =>
      encode ? encode({ token, secret, salt, maxAge }) : seal(token, keys.for(salt), maxAge, now()),
    decode: (token, salt) => (decode ? decode({ token, secret, salt }) : openSeal(token, salt)),
  }
}

/** The application's function failed: that is the application's error, and signs nobody out. */
function callbackFailure(name: string, error: unknown): AuthError {
  return (
    asAuthError(error) ??
    new CallbackRouteError(`callbacks.${name} threw an error`, { err: asError(error), callback: name })
  )
}

export function createJwtSessions(context: Context): SessionStrategy {
  const { config, callbacks, emit, logger, now } = context
  const codec = createCodec(context)
  const nameIn = (browser: SessionCookies) => browser.cookieSet.sessionToken.name
  /** Reads under way, by token: requests that come at once ask the `jwt` callback once. */
  const underWay = new Map<string, Promise<JWT | null>>()

  async function openToken(value: string, salt: string): Promise<JWT | undefined> {
    try {
      return (await codec.decode(value, salt)) ?? undefined
    } catch (error) {
      const err = asError(error)
      if (err.message === "expired") logger.debug("session cookie expired")
      else logger.error(new JWTSessionError("a session cookie could not be opened; its bearer is signed out", { err }))
      return undefined
    }
  }

  /** The first of the browser's values that opens. */
  async function findToken(browser: SessionCookies): Promise<{ value: string; token: JWT } | undefined> {
    for (const value of readChunked(browser.cookies, nameIn(browser))) {
      const token = await openToken(value, nameIn(browser))
      if (token) return { value, token }
    }
    return undefined
  }

  async function applyCallback(token: JWT, purpose: ReadPurpose): Promise<JWT | null> {
    const update =
      purpose.mode === "update" ? { trigger: "update" as const, session: purpose.data } : { session: undefined }
    // The contract calls it without a user here, although its type has one.
    const params = { token, ...update } as Parameters<typeof callbacks.jwt>[0]
    return callbacks.jwt(params)
  }

  function applyOnce(value: string, token: JWT, purpose: ReadPurpose): Promise<JWT | null> {
    if (purpose.mode === "update" || !config.callbacks.jwt) return applyCallback(token, purpose)
    const shared = underWay.get(value) ?? applyCallback(token, purpose).finally(() => underWay.delete(value))
    underWay.set(value, shared)
    // Each reader gets its own copy: what one request changes, another must not see.
    return shared.then((result) => result && structuredClone(result))
  }

  async function viewOf(token: JWT, expires: Date) {
    const { name, email, picture } = token
    const session = { user: { name, email, image: picture }, expires: expires.toISOString() }
    // With this strategy there is a token and no user, and what a client posted went to `jwt`; the contract's type has all.
    const params = { session, token } as Parameters<typeof callbacks.session>[0]
    return callbacks.session(params)
  }

  const isDue = (token: JWT, purpose: ReadPurpose): boolean =>
    purpose.mode !== "read" || typeof token.iat !== "number" || now() / 1000 - token.iat >= config.session.updateAge

  async function cookiesFor(token: JWT, browser: SessionCookies, expires: Date): Promise<CookieChange[]> {
    const name = nameIn(browser)
    const value = await codec.encode(token, name)
    try {
      return putChunked("sessionToken", { value, expires, present: browser.cookies, name })
    } catch (err) {
      throw new JWTSessionError(
        "the session is too large for a cookie: return less from callbacks.jwt, or use an adapter",
        {
          err: asError(err),
        },
      )
    }
  }

  const expiryOf = ({ exp }: JWT) => (typeof exp === "number" ? new Date(exp * 1000) : expiryFrom(now()))
  const expiryFrom = (ms: number) => new Date(ms + config.session.maxAge * 1000)

  /** A session that has grown too large goes on as it was. */
  async function renew(token: JWT, browser: SessionCookies, expires: Date): Promise<readonly CookieChange[]> {
    try {
      return await cookiesFor(token, browser, expires)
    } catch (error) {
      logger.error(asError(error))
      return []
    }
  }

  return {
    async read(browser, purpose): Promise<SessionRead> {
      const name = nameIn(browser)
      const found = await findToken(browser)
      if (!found) return { session: null, cookies: dropChunked("sessionToken", browser.cookies, name) }
      const before = config.callbacks.jwt ? JSON.stringify(found.token) : ""
      const token = await applyOnce(found.value, found.token, purpose).catch((error: unknown) => {
        throw callbackFailure("jwt", error)
      })
      if (!token) return { session: null, cookies: dropChunked("sessionToken", browser.cookies, name) }
      const rolls = isDue(found.token, purpose) || (before !== "" && JSON.stringify(token) !== before)
      const expires = rolls ? expiryFrom(now()) : expiryOf(found.token)
      const session = await viewOf(token, expires).catch((error: unknown) => {
        throw callbackFailure("session", error)
      })
      const cookies = rolls ? await renew(token, browser, expires) : []
      await emit("session", { session, token })
      return { session, cookies }
    },

    async open({ user, account, profile, isNewUser }: SignedIn, browser) {
      const token = await callbacks
        .jwt({
          token: {
            name: user.name,
            email: user.email,
            picture: user.image,
            ...(user.id !== undefined && { sub: String(user.id) }),
          },
          user,
          account,
          ...(profile && { profile }),
          ...(isNewUser !== undefined && { isNewUser }),
          trigger: isNewUser ? "signUp" : "signIn",
        })
        .catch((error: unknown) => {
          throw callbackFailure("jwt", error)
        })
      if (!token) return dropChunked("sessionToken", browser.cookies, nameIn(browser))
      return cookiesFor(token, browser, expiryFrom(now()))
    },

    async close(browser) {
      const name = nameIn(browser)
      if (chunkNames(browser.cookies, name).length === 0) return []
      const found = await findToken(browser)
      if (found) await emit("signOut", { token: found.token })
      return dropChunked("sessionToken", browser.cookies, name)
    },

    async currentUserId(browser) {
      return (await findToken(browser))?.token.sub
    },
  }
}

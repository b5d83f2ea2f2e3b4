/**
 * Sessions in a store.
 *
 * @module
 */
import type { Adapter, AdapterSession, AdapterUser } from "../adapters/adapter.js"
import type { ResolvedConfig } from "../config/resolve.js"
import { asAuthError, asError, CallbackRouteError, SignOutError } from "../errors.js"
import { type CookieChange, dropChunked, readChunked } from "../http/cookies.js"
import type { Runtime } from "../runtime.js"
import { randomText } from "../security/tokens.js"
import type { SessionCookies, SessionRead, SessionStrategy } from "./session.js"

type SessionStore = Required<Pick<Adapter, "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession">>

/** 128 bits as base64url. */
const MIN_TOKEN_LENGTH = 22

type Context = Pick<Runtime, "callbacks" | "emit" | "logger" | "now"> & {
  readonly config: ResolvedConfig
  readonly store: SessionStore
}

/** The application's own tokens, with one warning when they can be guessed. */
function warnOfShort(generate: () => string, logger: Context["logger"]): () => string {
  let isTold = false
  return () => {
    const token = generate()
    if (!isTold && token.length < MIN_TOKEN_LENGTH) {
      isTold = true
      const seen = `session.generateSessionToken gave ${token.length} characters`
      logger.warn("short-session-token", `${seen}: give 128 random bits at least, or leave the option out`)
    }
    return token
  }
}

export function createDatabaseSessions({ callbacks, config, emit, logger, now, store }: Context): SessionStrategy {
  const { maxAge, updateAge, generateSessionToken } = config.session
  const createToken = generateSessionToken ? warnOfShort(generateSessionToken, logger) : randomText
  const nameIn = (browser: SessionCookies) => browser.cookieSet.sessionToken.name
  const tokenIn = (browser: SessionCookies) => readChunked(browser.cookies, nameIn(browser))[0]
  const drop = (browser: SessionCookies) => dropChunked("sessionToken", browser.cookies, nameIn(browser))
  const expiry = () => new Date(now() + maxAge * 1000)

  /** The row and its user, when it has not ended; an ended one is deleted. */
  async function find(token: string): Promise<{ session: AdapterSession; user: AdapterUser } | null> {
    const found = await store.getSessionAndUser(token)
    // Some stores give dates as text.
    if (!found || new Date(found.session.expires).getTime() >= now()) return found
    await remove(token)
    return null
  }

  /** Deletes a row; that it is gone already is no failure, though some stores say so. */
  async function remove(token: string): Promise<AdapterSession | null | undefined | void> {
    try {
      return await store.deleteSession(token)
    } catch (error) {
      if (await store.getSessionAndUser(token)) throw error
      return undefined
    }
  }

  const put = (value: string, expires: Date, browser: SessionCookies): CookieChange[] => [
    ...drop(browser).filter((change) => change.part !== undefined),
    { put: "sessionToken", value, expires },
  ]

  return {
    async read(browser, purpose): Promise<SessionRead> {
      const token = tokenIn(browser)
      const found = token ? await find(token) : null
      if (!token || !found) return { session: null, cookies: drop(browser) }
      const expires = new Date(found.session.expires)
      const isDue = expires.getTime() - maxAge * 1000 + updateAge * 1000 <= now()
      if (isDue) await store.updateSession({ sessionToken: token, expires: expiry() })
      const update =
        purpose.mode === "update" ? { newSession: purpose.data, trigger: "update" as const } : { newSession: undefined }
      // With this strategy there is a user and no token; the contract's type has both.
      const params = {
        session: { ...found.session, expires, user: found.user },
        user: found.user,
        ...update,
      } as unknown
      const session = await callbacks
        .session(params as Parameters<typeof callbacks.session>[0])
        .catch((error: unknown) => {
          throw (
            asAuthError(error) ?? new CallbackRouteError("callbacks.session threw an error", { err: asError(error) })
          )
        })
      await emit("session", { session } as Parameters<NonNullable<ResolvedConfig["events"]["session"]>>[0])
      return { session, cookies: isDue || purpose.mode !== "read" ? put(token, expiry(), browser) : [] }
    },

    async open({ user }, browser) {
      const { sessionToken, expires } = await store.createSession({
        sessionToken: createToken(),
        // Forwarded as the store gave it: some count in numbers.
        userId: user.id ?? "",
        expires: expiry(),
      })
      // A token from before the sign-in may be known to somebody else.
      const old = tokenIn(browser)
      if (old) await remove(old)
      return put(sessionToken, new Date(expires), browser)
    },

    async close(browser) {
      const token = tokenIn(browser)
      if (!token) return drop(browser)
      try {
        await emit("signOut", { session: await remove(token) })
      } catch (error) {
        const refusal = new SignOutError("the session could not be deleted and is still good", { err: asError(error) })
        throw Object.assign(refusal, { cookies: drop(browser) })
      }
      return drop(browser)
    },

    async currentUserId(browser) {
      const token = tokenIn(browser)
      const found = token ? await find(token) : null
      return found ? String(found.user.id) : undefined
    },
  }
}

/**
 * The tokens of database sessions: the values of their cookies, by which the adapter finds them.
 *
 * @module
 */
import { openOrEmpty, seal } from "../security/jwe.js"
import { hashToSessionId, isUnregisteredId } from "../security/session-id.js"
import { randomText } from "../security/tokens.js"
import { sessionValues } from "./browser-session.js"
import { checkGenerator } from "./check-generator.js"
import type { SessionCookies, SessionRuntime } from "./session.js"

/** False for a cookie with a NUL character. PostgreSQL rejects it, so a planted cookie would make every read fail. */
export const isQueryable = (token: string): boolean => !token.includes("\0")

/** The tokens in the browser's cookies. */
export const readTokens = (browser: SessionCookies): string[] => sessionValues(browser).filter(isQueryable)

const HOST_PREFIX = "__Host-"

/** A token that was created for a `__Host-` cookie is valid only in one: other cookies may come from another host. */
export const isValidUnder = (name: string, token: string): boolean =>
  !token.startsWith(HOST_PREFIX) || name.startsWith(HOST_PREFIX)

/** The parts of a token: the prefix, the session's id, random text, its persistence, and the time of the sign-in. */
const TOKEN = /^(?:__Host-)?([\w-]{22})\.[\w-]{43}(?:\.transient)?(?:\.[\da-z]{6,7})?$/

/** The id of a token's session. Tokens of Auth.js, or of the application's own function, contain none. */
export const readSessionId = (token: string): string => TOKEN.exec(token)?.[1] ?? hashToSessionId(token)

/** The purpose of the key that seals the tokens in the registry. */
const TOKEN_PURPOSE = "latchkey.session-token"
/** Far longer than any session: the record that contains the token expires with the session. */
const TOKEN_MAX_AGE_SECONDS = 10 * 365 * 86_400

/** Creates tokens, and seals them for the registry. */
export interface DatabaseTokens {
  /** Creates the token of a session, with `session.generateSessionToken` if the application has it. */
  create(id: string, browser: SessionCookies): string
  seal(token: string): string
  /** Returns "" if the secret with which the token was sealed has been removed. */
  open(sealed: string | undefined): string
}

export function createDatabaseTokens({
  config,
  keys,
  logger,
  now,
}: Pick<SessionRuntime, "config" | "keys" | "logger" | "now">): DatabaseTokens {
  const { generateSessionToken } = config.session
  const createOwnToken = generateSessionToken && checkGenerator(generateSessionToken, logger)
  return {
    create(id, { cookieSet }) {
      if (createOwnToken) return createOwnToken()
      const prefix = cookieSet.sessionToken.name.startsWith(HOST_PREFIX) ? HOST_PREFIX : ""
      return prefix + (isUnregisteredId(id) ? randomText() : `${id}.${randomText()}`)
    },
    seal: (token) => seal({ token }, keys.for(TOKEN_PURPOSE), TOKEN_MAX_AGE_SECONDS, now()),
    open: (sealed) => String(openOrEmpty(sealed, keys.for(TOKEN_PURPOSE), now())["token"] ?? ""),
  }
}

/**
 * Creates and reads the tokens of database sessions. A token is the value of the session's cookie, and the adapter
 * finds the session by it.
 *
 * @module
 */
import { openOrEmpty, seal } from "../security/jwe.js"
import { hashToSessionId, mayBeUnregistered } from "../security/session-id.js"
import { randomText } from "../security/tokens.js"
import { sessionValues } from "./browser-session.js"
import { createCheckedGenerator } from "./check-generator.js"
import type { SessionCookies, SessionRuntime } from "./session.js"

/**
 * False if a token contains a NUL character. PostgreSQL rejects such a query, so a planted cookie would make every read
 * fail.
 */
export const isQueryable = (token: string): boolean => !token.includes("\0")

/** Returns the tokens in the browser's cookies. */
export const readTokens = (browser: SessionCookies): string[] => sessionValues(browser).filter(isQueryable)

const HOST_PREFIX = "__Host-"

/**
 * False if a token that was issued for a `__Host-` cookie comes in a cookie without this prefix, which another host may
 * have set.
 */
export const isValidUnder = (name: string, token: string): boolean =>
  !token.startsWith(HOST_PREFIX) || name.startsWith(HOST_PREFIX)

/**
 * Matches a token of this package that contains a session id. Its parts are the prefix, the session's id, random text,
 * the suffix of a transient session, and the start of the session.
 */
const TOKEN = /^(?:__Host-)?([\w-]{22})\.[\w-]{43}(?:\.transient)?(?:\.[\da-z]{6,7})?$/

/**
 * Returns the id of a token's session. If the token contains no id, for example because Auth.js or the application's
 * generator created it, the id is a hash of the token.
 */
export const readSessionId = (token: string): string => TOKEN.exec(token)?.[1] ?? hashToSessionId(token)

/** The purpose of the key that seals tokens for the registry. */
const TOKEN_PURPOSE = "latchkey.session-token"
/**
 * The lifetime of a sealed token: longer than any session. It need not be shorter, because the record that contains the
 * token expires with the session.
 */
const TOKEN_MAX_AGE_SECONDS = 10 * 365 * 86_400

/** Creates tokens, and seals them for the registry. */
export interface DatabaseTokens {
  /** Creates the token of a session, with `session.generateSessionToken` if that option is set. */
  create(id: string, browser: SessionCookies): string
  /** Seals a token for its record in the registry. */
  seal(token: string): string
  /** Decrypts a sealed token; returns "" if it is missing or invalid, for example because its secret was removed. */
  open(sealed: string | undefined): string
}

export function createDatabaseTokens({
  config,
  keys,
  logger,
  now,
}: Pick<SessionRuntime, "config" | "keys" | "logger" | "now">): DatabaseTokens {
  const { generateSessionToken } = config.session
  const createOwnToken = generateSessionToken && createCheckedGenerator(generateSessionToken, logger)
  return {
    create(id, { cookieSet }) {
      if (createOwnToken) return createOwnToken()
      const prefix = cookieSet.sessionToken.name.startsWith(HOST_PREFIX) ? HOST_PREFIX : ""
      return prefix + (mayBeUnregistered(id) ? randomText() : `${id}.${randomText()}`)
    },
    seal: (token) => seal({ token }, keys.for(TOKEN_PURPOSE), TOKEN_MAX_AGE_SECONDS, now()),
    open: (sealed) => String(openOrEmpty(sealed, keys.for(TOKEN_PURPOSE), now())["token"] ?? ""),
  }
}

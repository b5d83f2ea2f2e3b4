import type { Logger } from "../logging/logger.js"

/** The length of 128 bits as base64url. */
const MIN_TOKEN_LENGTH = 22

/**
 * Returns a function that calls the application's token generator and checks the token. It warns once if a token is too
 * short, and throws a TypeError if the token is not a non-empty string: a promise, converted to a string, would be the
 * same token for every session.
 */
export function createCheckedGenerator(generate: () => string, logger: Logger): () => string {
  let hasWarned = false
  return () => {
    const token: unknown = generate()
    if (typeof token !== "string" || token === "")
      throw new TypeError("session.generateSessionToken must return a non-empty string, not a promise")
    if (!hasWarned && token.length < MIN_TOKEN_LENGTH) {
      hasWarned = true
      logger.warn(
        "short-session-token",
        `session.generateSessionToken returned ${token.length} characters: return at least 128 random bits, or leave the option out`,
      )
    }
    return token
  }
}

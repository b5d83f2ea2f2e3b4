import type { Logger } from "../logging/logger.js"

/** 128 bits as base64url. */
const MIN_TOKEN_LENGTH = 22

/**
 * Wraps the application's token generator: warns once if its tokens are too short.
 *
 * @throws TypeError if it returns no text: a promise, converted to text, would be the token of every session
 */
export function checkGenerator(generate: () => string, logger: Logger): () => string {
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

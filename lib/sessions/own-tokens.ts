import type { Logger } from "../logger.js"

/** 128 bits as base64url. */
const MIN_TOKEN_LENGTH = 22

/**
 * The application's own tokens, with one warning when they can be guessed.
 *
 * @throws TypeError when there is none: a promise, written as text, would be the token of everybody's session
 */
export function ownTokens(generate: () => string, logger: Logger): () => string {
  let isTold = false
  return () => {
    const token: unknown = generate()
    if (typeof token !== "string" || token === "")
      throw new TypeError("session.generateSessionToken gave no text: return the token itself, not a promise of it")
    if (!isTold && token.length < MIN_TOKEN_LENGTH) {
      isTold = true
      const seen = `session.generateSessionToken gave ${token.length} characters`
      logger.warn("short-session-token", `${seen}: give 128 random bits at least, or leave the option out`)
    }
    return token
  }
}

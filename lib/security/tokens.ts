import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"

/** Returns 32 random bytes as 64 lower-case hexadecimal digits. */
export const randomHex = (): string => randomBytes(32).toString("hex")

/**
 * Returns 32 random bytes as 43 characters of base64url, for example for a PKCE verifier (RFC 7636 §4.1) or a nonce.
 */
export const randomText = (): string => randomBytes(32).toString("base64url")

export const sha256Hex = (text: string): string => createHash("sha256").update(text).digest("hex")

export const sha256Base64url = (text: string): string => createHash("sha256").update(text).digest("base64url")

/** Returns the HMAC-SHA-256 of a text. It is deterministic, and unpredictable without the secret. */
export const hmacSha256 = (secret: string, text: string): Buffer => createHmac("sha256", secret).update(text).digest()

/** Compares two texts in a time that does not depend on where they differ. */
export function isEqualText(a: string, b: string): boolean {
  // The hashes have equal lengths, so that the timing does not reveal the length of the expected text.
  return timingSafeEqual(createHash("sha256").update(a).digest(), createHash("sha256").update(b).digest())
}

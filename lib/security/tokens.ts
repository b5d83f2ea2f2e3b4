import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"

/** 32 random bytes as 64 lower-case hexadecimal digits. */
export const randomHex = (): string => randomBytes(32).toString("hex")

/** 32 random bytes as 43 characters of base64url: a PKCE verifier (RFC 7636 §4.1), a nonce, a state. */
export const randomText = (): string => randomBytes(32).toString("base64url")

export const sha256Hex = (text: string): string => createHash("sha256").update(text).digest("hex")

export const sha256Base64url = (text: string): string => createHash("sha256").update(text).digest("base64url")

/** What nobody can tell from random who does not know the secret, the same each time. */
export const hmacSha256 = (secret: string, text: string): Buffer => createHmac("sha256", secret).update(text).digest()

/** Are both texts equal? Takes the same time wherever they differ. */
export function isEqualText(a: string, b: string): boolean {
  // Hashing first gives equal lengths, so the length of the expected text shows in no timing.
  return timingSafeEqual(createHash("sha256").update(a).digest(), createHash("sha256").update(b).digest())
}

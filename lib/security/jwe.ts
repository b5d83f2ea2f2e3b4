/**
 * Encrypts ("seals") and decrypts values as compact JWE with direct encryption (RFC 7516, RFC 7518 §4.5 and §5.2.5), in
 * the format of Auth.js.
 *
 * Every request with a session cookie decrypts a session. Therefore this module uses the synchronous functions of
 * `node:crypto`, which take a twentieth of the time of WebCrypto. A test compares the results with `jose`.
 *
 * @module
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto"
import type { Encryption, Key, Keys } from "./keys.js"

export type Claims = Record<string, unknown> & { iat?: number; exp?: number; jti?: string }

/** How many seconds the clocks of the processes may differ. */
const CLOCK_TOLERANCE_SECONDS = 15

/**
 * The lengths of IV and tag in bytes (RFC 7518 §5.2.5, §5.3). They are checked because with A256GCM Node.js also
 * accepts shorter tags, and an attacker could guess these.
 */
const LENGTHS: Record<Encryption, { iv: number; tag: number }> = {
  "A256CBC-HS512": { iv: 16, tag: 32 },
  A256GCM: { iv: 12, tag: 16 },
}

/** RFC 7518 §5.2.2.1: the MAC covers header, IV, ciphertext and the header's length in bits. */
function authenticationTag(key: Key, header: string, iv: Buffer, ciphertext: Buffer): Buffer {
  const bits = Buffer.alloc(8)
  bits.writeUInt32BE(header.length * 8, 4)
  return createHmac("sha512", key.macKey)
    .update(header)
    .update(iv)
    .update(ciphertext)
    .update(bits)
    .digest()
    .subarray(0, 32)
}

/** Encrypts claims, which expire after `maxAgeSeconds`. Sets `iat`, `exp` and `jti`. */
export function seal(claims: Claims, keys: Keys, maxAgeSeconds: number, nowMs: number): string {
  const [key] = keys.cbc
  const iat = Math.floor(nowMs / 1000)
  const plaintext = JSON.stringify({ ...claims, iat, exp: iat + maxAgeSeconds, jti: randomUUID() })
  const iv = randomBytes(16)
  const cipher = createCipheriv("aes-256-cbc", key.cipherKey, iv)
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  const tag = authenticationTag(key, key.header, iv, ciphertext)
  return `${key.header}..${iv.toString("base64url")}.${ciphertext.toString("base64url")}.${tag.toString("base64url")}`
}

/** True if a value was sealed with the newest secret. */
export const isSealedWithNewest = (token: string, { cbc: [{ header }] }: Keys): boolean =>
  token.startsWith(`${header}.`)

const MESSAGES = {
  malformed: "not a compact JWE",
  header: "unsupported JWE header",
  encryption: "unsupported JWE encryption",
  secret: "no matching decryption secret",
  decryption: "decryption failed",
  text: "a sealed value is not JSON",
  object: "a sealed value is not an object",
  time: "iat, exp or nbf is not a number",
  expired: "expired",
  early: "not yet valid",
} as const

type SealReason = keyof typeof MESSAGES

/** Why a sealed value is invalid. */
export class SealError extends Error {
  override name = "SealError"
  readonly reason: SealReason

  constructor(reason: SealReason) {
    super(MESSAGES[reason])
    this.reason = reason
  }
}

/** Creates an error without stack frames, because it is created at start-up and not where a value is rejected. */
function createSealError(reason: SealReason): SealError {
  const error = new SealError(reason)
  error.stack = `SealError: ${error.message}`
  return Object.freeze(error)
}

/**
 * The errors that are returned instead of claims. Each is created once and returned, not thrown, because clients can
 * send invalid values at any rate and throwing is expensive.
 */
const ERRORS: Readonly<Record<SealReason, SealError>> = {
  malformed: createSealError("malformed"),
  header: createSealError("header"),
  encryption: createSealError("encryption"),
  secret: createSealError("secret"),
  decryption: createSealError("decryption"),
  text: createSealError("text"),
  object: createSealError("object"),
  time: createSealError("time"),
  expired: createSealError("expired"),
  early: createSealError("early"),
}

const isSealError = (value: unknown): value is SealError => value instanceof SealError

/** Matches the compact form (RFC 7516 §7.1). With direct encryption, the encrypted key is empty. */
const COMPACT = /^([\w-]+)\.\.([\w-]+)\.([\w-]*)\.([\w-]+)$/

/**
 * False for a length that base64url can't have. Such a token is rejected, as by `jose`, although Node.js ignores the
 * extra character.
 */
const hasBase64urlLength = (part: string): boolean => part.length % 4 !== 1

const decodeBytes = (part: string): Buffer => Buffer.from(part, "base64url")

const UTF8 = new TextDecoder("utf-8", { fatal: true })

/** Decodes UTF-8 (RFC 7519 §7.2). Rejects invalid bytes, which a Buffer would replace. */
function decodeText(bytes: Uint8Array): string | SealError {
  try {
    return UTF8.decode(bytes)
  } catch {
    return ERRORS.text
  }
}

function parseObject(text: string | SealError): Record<string, unknown> | SealError {
  if (isSealError(text)) return text
  try {
    const value: unknown = JSON.parse(text)
    // The keys of a JSON object are always strings.
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : ERRORS.object
  } catch {
    return ERRORS.text
  }
}

/**
 * Header members that are rejected: critical extensions (RFC 7516 §4.1.13), compression, whose length reveals
 * information about the content (RFC 8725 §3.6), and replicated claims, which could differ from the content (RFC 7519
 * §5.3).
 */
const UNSUPPORTED = ["crit", "zip", "iss", "sub", "aud"]

/** Returns the keys that may decrypt a token with this header. A header that this package wrote identifies one key. */
function findKeys(header: string, keys: Keys): readonly Key[] | SealError {
  const ownKey = keys.cbc.find((key) => key.header === header)
  if (ownKey) return [ownKey]
  const members = parseObject(decodeText(decodeBytes(header)))
  if (isSealError(members)) return members
  const { alg, enc, kid, ...others } = members
  if (alg !== "dir" || UNSUPPORTED.some((name) => others[name] !== undefined)) return ERRORS.header
  if (enc !== "A256CBC-HS512" && enc !== "A256GCM") return ERRORS.encryption
  const all = enc === "A256GCM" ? keys.gcm() : keys.cbc
  const matching = kid === undefined ? all : all.filter((key) => key.kid === kid)
  return matching.length > 0 ? matching : ERRORS.secret
}

function decrypt(key: Key, header: string, iv: Buffer, ciphertext: Buffer, tag: Buffer): Buffer | undefined {
  if (iv.length !== LENGTHS[key.enc].iv || tag.length !== LENGTHS[key.enc].tag) return undefined
  try {
    if (key.enc === "A256GCM") {
      const decipher = createDecipheriv("aes-256-gcm", key.cipherKey, iv)
      decipher.setAAD(Buffer.from(header)).setAuthTag(tag)
      return Buffer.concat([decipher.update(ciphertext), decipher.final()])
    }
    // Check the tag before decrypting (RFC 7518 §5.2.2.2).
    if (!timingSafeEqual(tag, authenticationTag(key, header, iv, ciphertext))) return undefined
    const decipher = createDecipheriv("aes-256-cbc", key.cipherKey, iv)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()])
  } catch {
    return undefined
  }
}

/** Returns an error if a time is not a number, or if the claims have expired or are not valid yet. */
export function checkTimeClaims({ iat = 0, exp = Infinity, nbf = 0 }: Claims, nowMs: number): SealError | undefined {
  const now = Math.floor(nowMs / 1000)
  if (typeof iat !== "number" || typeof exp !== "number" || typeof nbf !== "number") return ERRORS.time
  if (exp <= now - CLOCK_TOLERANCE_SECONDS) return ERRORS.expired
  return nbf > now + CLOCK_TOLERANCE_SECONDS ? ERRORS.early : undefined
}

/**
 * Decrypts a sealed value, without checking its times. Returns an error if the value is malformed, was sealed with
 * another secret or for another purpose, or was changed.
 */
export function unseal(token: string, keys: Keys): string | SealError {
  const match = COMPACT.exec(token)
  if (!match) return ERRORS.malformed
  // All four groups are part of every match.
  const [, header, iv, ciphertext, tag] = match as unknown as readonly [string, string, string, string, string]
  if (![header, iv, ciphertext, tag].every(hasBase64urlLength)) return ERRORS.malformed
  const matching = findKeys(header, keys)
  if (isSealError(matching)) return matching
  const [ivBytes, bytes, tagBytes] = [decodeBytes(iv), decodeBytes(ciphertext), decodeBytes(tag)]
  for (const key of matching) {
    const plaintext = decrypt(key, header, ivBytes, bytes, tagBytes)
    if (plaintext) return decodeText(plaintext)
  }
  return ERRORS.decryption
}

/**
 * Parses the claims of a decrypted value and checks their times. Returns an error if `plaintext` is an error or not a
 * JSON object, if a time is not a number, or if the claims have expired or are not valid yet.
 */
export function readClaims(plaintext: string | SealError, nowMs: number): Claims | SealError {
  const claims = parseObject(plaintext)
  return isSealError(claims) ? claims : (checkTimeClaims(claims, nowMs) ?? claims)
}

/**
 * Decrypts a sealed value and checks its times.
 *
 * @throws SealError if the value is malformed, was sealed with another secret or for another purpose, was changed, has
 * expired, or is not valid yet
 */
export function open(token: string, keys: Keys, nowMs: number): Claims {
  const claims = readClaims(unseal(token, keys), nowMs)
  // A new error, because the caller may change it and the constants are frozen.
  if (isSealError(claims)) throw new SealError(claims.reason)
  return claims
}

/** Returns the claims of a sealed value; an empty object if the value is missing or invalid. */
export function openOrEmpty(token: string | undefined, keys: Keys, nowMs: number): Claims {
  const claims = token ? readClaims(unseal(token, keys), nowMs) : {}
  return isSealError(claims) ? {} : claims
}

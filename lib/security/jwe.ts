/**
 * Seals: compact JWE with direct encryption (RFC 7516, RFC 7518 §4.5 and §5.2.5), byte for byte what Auth.js writes.
 *
 * `node:crypto` does the work itself: a session is opened on every request, and one synchronous pass costs a
 * twentieth of the same through promises of WebCrypto. A test holds it against `jose`.
 *
 * @module
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto"
import type { Encryption, Key, Keys } from "./keys.js"

export type Claims = Record<string, unknown> & { iat?: number; exp?: number; jti?: string }

/** Seconds by which clocks may differ. */
const CLOCK_TOLERANCE_SECONDS = 15

/** Bytes of IV and tag (RFC 7518 §5.2.5, §5.3). Node.js takes shorter tags with A256GCM, and they could be guessed. */
const LENGTHS: Record<Encryption, { iv: number; tag: number }> = {
  "A256CBC-HS512": { iv: 16, tag: 32 },
  A256GCM: { iv: 12, tag: 16 },
}

/** RFC 7518 §5.2.2.1: the MAC covers header, IV, ciphertext and the header's length in bits. */
function authenticationTag(key: Key, header: string, iv: Buffer, ciphertext: Buffer): Buffer {
  const bits = Buffer.alloc(8)
  bits.writeUInt32BE(header.length * 8, 4)
  return createHmac("sha512", key.mac)
    .update(header)
    .update(iv)
    .update(ciphertext)
    .update(bits)
    .digest()
    .subarray(0, 32)
}

/** Seals claims for `maxAgeSeconds`; `iat`, `exp` and `jti` are ours. */
export function seal(claims: Claims, keys: Keys, maxAgeSeconds: number, nowMs: number): string {
  const [key] = keys.cbc
  const iat = Math.floor(nowMs / 1000)
  const plaintext = JSON.stringify({ ...claims, iat, exp: iat + maxAgeSeconds, jti: randomUUID() })
  const iv = randomBytes(16)
  const cipher = createCipheriv("aes-256-cbc", key.cipher, iv)
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  const tag = authenticationTag(key, key.header, iv, ciphertext)
  return `${key.header}..${iv.toString("base64url")}.${ciphertext.toString("base64url")}.${tag.toString("base64url")}`
}

/** Why a sealed value does not open. */
export class SealError extends Error {
  override name = "SealError"
}

/** An error without a stack: where in here it was found says nothing. */
function refusal(message: string): SealError {
  const error = new SealError(message)
  error.stack = `SealError: ${message}`
  return Object.freeze(error)
}

/**
 * What is returned in place of what was sealed. One of each, made once and thrown nowhere in here: strangers send such
 * values as fast as they can, and to throw costs more than to look.
 */
const REFUSED = {
  malformed: refusal("not a compact JWE"),
  header: refusal("unsupported JWE header"),
  encryption: refusal("unsupported JWE encryption"),
  secret: refusal("no matching decryption secret"),
  decryption: refusal("decryption failed"),
  text: refusal("a sealed value is not JSON"),
  object: refusal("a sealed value is no object"),
  time: refusal("a time among the claims is not a number"),
  expired: refusal("expired"),
  early: refusal("not yet valid"),
}

const isRefused = (value: unknown): value is SealError => value instanceof SealError

/** The compact form (RFC 7516 §7.1); with direct encryption there is no encrypted key. */
const COMPACT = /^([\w-]+)\.\.([\w-]+)\.([\w-]*)\.([\w-]+)$/

/** One character too many makes no byte: Node.js overlooks it, and every token would have forms that jose refuses. */
const isBase64url = (part: string): boolean => part.length % 4 !== 1

const bytesOf = (part: string): Buffer => Buffer.from(part, "base64url")

const UTF8 = new TextDecoder("utf-8", { fatal: true })

/** Headers and claims are UTF-8 (RFC 7519 §7.2): other bytes are refused, where a Buffer would put in other text. */
function decodeText(bytes: Uint8Array): string | SealError {
  try {
    return UTF8.decode(bytes)
  } catch {
    return REFUSED.text
  }
}

function parseObject(text: string | SealError): Record<string, unknown> | SealError {
  if (isRefused(text)) return text
  try {
    const value: unknown = JSON.parse(text)
    // What JSON calls an object has text for names.
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : REFUSED.object
  } catch {
    return REFUSED.text
  }
}

/**
 * Members that change what a token means: extensions that must be understood (RFC 7516 §4.1.13), compression, whose
 * length betrays what it hides (RFC 8725 §3.6), and claims repeated, which could differ (RFC 7519 §5.3).
 */
const UNSUPPORTED = ["crit", "zip", "iss", "sub", "aud"]

/** The keys that may open a token with this header, the likeliest alone when the header names it. */
function candidates(header: string, keys: Keys): readonly Key[] | SealError {
  const own = keys.cbc.find((key) => key.header === header)
  if (own) return [own]
  const members = parseObject(decodeText(bytesOf(header)))
  if (isRefused(members)) return members
  const { alg, enc, kid, ...others } = members
  if (alg !== "dir" || UNSUPPORTED.some((name) => others[name] !== undefined)) return REFUSED.header
  if (enc !== "A256CBC-HS512" && enc !== "A256GCM") return REFUSED.encryption
  const all = enc === "A256GCM" ? keys.gcm() : keys.cbc
  const matching = kid === undefined ? all : all.filter((key) => key.kid === kid)
  return matching.length > 0 ? matching : REFUSED.secret
}

function decrypt(key: Key, header: string, iv: Buffer, ciphertext: Buffer, tag: Buffer): Buffer | undefined {
  if (iv.length !== LENGTHS[key.enc].iv || tag.length !== LENGTHS[key.enc].tag) return undefined
  try {
    if (key.enc === "A256GCM") {
      const decipher = createDecipheriv("aes-256-gcm", key.cipher, iv)
      decipher.setAAD(Buffer.from(header)).setAuthTag(tag)
      return Buffer.concat([decipher.update(ciphertext), decipher.final()])
    }
    // RFC 7518 §5.2.2.2: nothing is decrypted before the tag was found right
    if (!timingSafeEqual(tag, authenticationTag(key, header, iv, ciphertext))) return undefined
    const decipher = createDecipheriv("aes-256-cbc", key.cipher, iv)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()])
  } catch {
    return undefined
  }
}

/** Why claims are not good now, by their own times: they are too old, or not good yet. */
export function refuseUntimely({ iat = 0, exp = Infinity, nbf = 0 }: Claims, nowMs: number): SealError | undefined {
  const now = Math.floor(nowMs / 1000)
  if (typeof iat !== "number" || typeof exp !== "number" || typeof nbf !== "number") return REFUSED.time
  if (exp <= now - CLOCK_TOLERANCE_SECONDS) return REFUSED.expired
  return nbf > now + CLOCK_TOLERANCE_SECONDS ? REFUSED.early : undefined
}

/**
 * The text of a sealed value, its times not looked at yet; refused when it is malformed, was sealed with another secret
 * or for another purpose, or was changed.
 */
export function unseal(token: string, keys: Keys): string | SealError {
  const match = COMPACT.exec(token)
  if (!match) return REFUSED.malformed
  // None of the four groups is left out of a match.
  const [, header, iv, ciphertext, tag] = match as unknown as readonly [string, string, string, string, string]
  if (![header, iv, ciphertext, tag].every(isBase64url)) return REFUSED.malformed
  const matching = candidates(header, keys)
  if (isRefused(matching)) return matching
  const [ivBytes, bytes, tagBytes] = [bytesOf(iv), bytesOf(ciphertext), bytesOf(tag)]
  for (const key of matching) {
    const plaintext = decrypt(key, header, ivBytes, bytes, tagBytes)
    if (plaintext) return decodeText(plaintext)
  }
  return REFUSED.decryption
}

/** The claims in what was unsealed; refused when they are no claims, or not good now. */
export function readClaims(plaintext: string | SealError, nowMs: number): Claims | SealError {
  const claims = parseObject(plaintext)
  return isRefused(claims) ? claims : (refuseUntimely(claims, nowMs) ?? claims)
}

/**
 * Opens a sealed value.
 *
 * @throws SealError when it is malformed, was sealed with another secret or for another purpose, was changed, or is too
 * old
 */
export function open(token: string, keys: Keys, nowMs: number): Claims {
  const claims = readClaims(unseal(token, keys), nowMs)
  // Whoever catches it may write on it: an error of its own.
  if (isRefused(claims)) throw new SealError(claims.message)
  return claims
}

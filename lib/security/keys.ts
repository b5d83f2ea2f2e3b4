/**
 * Derives encryption keys from the secrets, with different keys for each purpose.
 *
 * @module
 */
import { createHash, hkdfSync } from "node:crypto"

export type Encryption = "A256CBC-HS512" | "A256GCM"

export interface Key {
  readonly enc: Encryption
  readonly kid: string
  /** The key for the tag of A256CBC-HS512 (RFC 7518 §5.2.2.1); empty for A256GCM, which needs no such key. */
  readonly macKey: Buffer
  readonly cipherKey: Buffer
  /** The encoded protected header of tokens that are encrypted with this key. */
  readonly header: string
}

const CIPHER_BYTES = 32
const KEY_BYTES: Record<Encryption, number> = { "A256CBC-HS512": 32 + CIPHER_BYTES, A256GCM: CIPHER_BYTES }

const encodeBase64url = (text: string) => Buffer.from(text).toString("base64url")

function deriveKey(secret: string, salt: string, enc: Encryption): Key {
  const info = `Auth.js Generated Encryption Key (${salt})`
  const bytes = Buffer.from(hkdfSync("sha256", secret, salt, info, KEY_BYTES[enc]))
  // The thumbprint is the hash of the members in alphabetical order (RFC 7638).
  const jwk = JSON.stringify({ k: bytes.toString("base64url"), kty: "oct" })
  const kid = createHash(enc === "A256GCM" ? "sha256" : "sha512")
    .update(jwk)
    .digest("base64url")
  const macKey = bytes.subarray(0, bytes.length - CIPHER_BYTES)
  const cipherKey = bytes.subarray(-CIPHER_BYTES)
  return { enc, kid, macKey, cipherKey, header: encodeBase64url(JSON.stringify({ alg: "dir", enc, kid })) }
}

/** The keys of one purpose, one for each secret. The first key encrypts, and all keys can decrypt. */
export interface Keys {
  readonly cbc: readonly [Key, ...Key[]]
  /** Returns the keys for A256GCM. They are derived at the first use, because only old tokens need them. */
  readonly gcm: () => readonly Key[]
}

/** Derives the keys of a purpose. The purpose is the salt, so that each purpose has different keys. */
export function deriveKeys(secrets: readonly string[], salt: string): Keys {
  const [first, ...rest] = secrets
  if (first === undefined) throw new TypeError("encryption requires a secret")
  let gcm: readonly Key[] | undefined
  return {
    cbc: [deriveKey(first, salt, "A256CBC-HS512"), ...rest.map((s) => deriveKey(s, salt, "A256CBC-HS512"))],
    gcm: () => {
      gcm ??= secrets.map((s) => deriveKey(s, salt, "A256GCM"))
      return gcm
    },
  }
}

/** Derives the keys of a purpose at their first use, and keeps them. The number of purposes is small and fixed. */
export interface Keyring {
  readonly secrets: readonly string[]
  for(salt: string): Keys
}

export function createKeyring(secrets: readonly string[]): Keyring {
  const derived = new Map<string, Keys>()
  return {
    secrets,
    for(salt) {
      const keys = derived.get(salt) ?? deriveKeys(secrets, salt)
      derived.set(salt, keys)
      return keys
    },
  }
}

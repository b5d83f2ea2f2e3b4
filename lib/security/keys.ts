/**
 * The keys that seal: derived from the secrets, a set of its own for each purpose.
 *
 * @module
 */
import { createHash, hkdfSync } from "node:crypto"

export type Encryption = "A256CBC-HS512" | "A256GCM"

export interface Key {
  readonly enc: Encryption
  readonly kid: string
  /** A256CBC-HS512 has a key of its own for the tag (RFC 7518 §5.2.2.1); it is empty with A256GCM, which needs none. */
  readonly mac: Buffer
  readonly cipher: Buffer
  /** The encoded protected header that this key writes. */
  readonly header: string
}

const CIPHER_BYTES = 32
const KEY_BYTES: Record<Encryption, number> = { "A256CBC-HS512": 32 + CIPHER_BYTES, A256GCM: CIPHER_BYTES }

const encode = (text: string) => Buffer.from(text).toString("base64url")

function deriveKey(secret: string, salt: string, enc: Encryption): Key {
  const info = `Auth.js Generated Encryption Key (${salt})`
  const bytes = Buffer.from(hkdfSync("sha256", secret, salt, info, KEY_BYTES[enc]))
  // RFC 7638: the thumbprint's members in alphabetical order
  const jwk = JSON.stringify({ k: bytes.toString("base64url"), kty: "oct" })
  const kid = createHash(enc === "A256GCM" ? "sha256" : "sha512")
    .update(jwk)
    .digest("base64url")
  const mac = bytes.subarray(0, bytes.length - CIPHER_BYTES)
  const cipher = bytes.subarray(-CIPHER_BYTES)
  return { enc, kid, mac, cipher, header: encode(JSON.stringify({ alg: "dir", enc, kid })) }
}

/** The keys of one purpose, from every secret: the first one seals, each may open. */
export interface Keys {
  readonly cbc: readonly [Key, ...Key[]]
  /** Derived when first met: only old tokens use it. */
  readonly gcm: () => readonly Key[]
}

/** Derives the keys of a purpose; the salt is what tells purposes apart, so a seal of one never opens for another. */
export function deriveKeys(secrets: readonly string[], salt: string): Keys {
  const [first, ...rest] = secrets
  if (first === undefined) throw new TypeError("a secret is needed to seal and to open")
  let gcm: readonly Key[] | undefined
  return {
    cbc: [deriveKey(first, salt, "A256CBC-HS512"), ...rest.map((s) => deriveKey(s, salt, "A256CBC-HS512"))],
    gcm: () => {
      gcm ??= secrets.map((s) => deriveKey(s, salt, "A256GCM"))
      return gcm
    },
  }
}

/** The keys of one configuration by purpose, each derived when first used. Purposes are ours: the set is small. */
export interface Keyring {
  readonly secrets: readonly string[]
  for(salt: string): Keys
}

export function createKeyring(secrets: readonly string[]): Keyring {
  const kept = new Map<string, Keys>()
  return {
    secrets,
    for(salt) {
      const keys = kept.get(salt) ?? deriveKeys(secrets, salt)
      kept.set(salt, keys)
      return keys
    },
  }
}

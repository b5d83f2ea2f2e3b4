import { createCipheriv, createHash, createHmac, hkdfSync } from "node:crypto"

export type Encryption = "A256CBC-HS512" | "A256GCM"

export interface RawKey {
  readonly enc: Encryption
  readonly bytes: Buffer
  readonly kid: string
}

const derived = new Map<string, RawKey>()

/** The key of a secret, derived like Auth.js, and cached. */
export function rawKey(secret: string, salt: string, enc: Encryption): RawKey {
  const name = JSON.stringify([secret, salt, enc])
  const key = derived.get(name) ?? deriveRawKey(secret, salt, enc)
  derived.set(name, key)
  return key
}

function deriveRawKey(secret: string, salt: string, enc: Encryption): RawKey {
  const info = `Auth.js Generated Encryption Key (${salt})`
  const bytes = Buffer.from(hkdfSync("sha256", secret, salt, info, enc === "A256GCM" ? 32 : 64))
  const thumbprint = createHash(enc === "A256GCM" ? "sha256" : "sha512")
  thumbprint.update(JSON.stringify({ k: bytes.toString("base64url"), kty: "oct" }))
  return { enc, bytes, kid: thumbprint.digest("base64url") }
}

/** The parts of a token before they are encoded. The header is encoded, because it is authenticated in this form. */
export interface RawParts {
  readonly header: string
  readonly iv: Buffer
  readonly ciphertext: Buffer
  readonly tag: Buffer
}

export interface Content {
  readonly header: string
  readonly plaintext: Buffer
  readonly iv: Buffer
  /** Replaces the ciphertext and is authenticated; A256CBC-HS512 only. */
  readonly ciphertext?: Buffer
}

/** Encrypts any text as the header and any bytes as the claims, which libraries refuse. */
export function rawSeal(key: RawKey, content: Content): RawParts {
  return key.enc === "A256GCM" ? sealGcm(key.bytes, content) : sealCbc(key.bytes, content)
}

function sealGcm(key: Buffer, { header, plaintext, iv }: Content): RawParts {
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(header))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return { header, iv, ciphertext, tag: cipher.getAuthTag() }
}

function sealCbc(key: Buffer, content: Content): RawParts {
  const { header, plaintext, iv } = content
  // The MAC includes an IV of the wrong length, which the cipher cannot use.
  const cipher = createCipheriv("aes-256-cbc", key.subarray(32), iv.length === 16 ? iv : Buffer.alloc(16))
  const ciphertext = content.ciphertext ?? Buffer.concat([cipher.update(plaintext), cipher.final()])
  const bits = Buffer.alloc(8)
  bits.writeBigUInt64BE(BigInt(Buffer.byteLength(header) * 8))
  const mac = createHmac("sha512", key.subarray(0, 32)).update(header).update(iv).update(ciphertext).update(bits)
  return { header, iv, ciphertext, tag: mac.digest().subarray(0, 32) }
}

/** The compact serialization. */
export const compact = ({ header, iv, ciphertext, tag }: RawParts): string =>
  [header, "", ...[iv, ciphertext, tag].map((part) => part.toString("base64url"))].join(".")

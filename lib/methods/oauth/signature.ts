import { constants, KeyObject, verify } from "node:crypto"
import { type CompactJWSHeaderParameters, type CryptoKey, compactVerify } from "jose"
import type { FindKey } from "./issuer-keys.js"

interface Algorithm {
  /** Null where the algorithm hashes by itself. */
  readonly hash: string | null
  readonly options?: { readonly dsaEncoding?: "ieee-p1363"; readonly padding?: number; readonly saltLength?: number }
}

const rsa = (hash: string): Algorithm => ({ hash })
const ecdsa = (hash: string): Algorithm => ({ hash, options: { dsaEncoding: "ieee-p1363" } })
const pss = (hash: string): Algorithm => ({
  hash,
  options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
})

/** By name (RFC 7518 §3.1, RFC 8037 §3.1). */
const ALGORITHMS = new Map<string, Algorithm>([
  ["RS256", rsa("sha256")],
  ["RS384", rsa("sha384")],
  ["RS512", rsa("sha512")],
  ["PS256", pss("sha256")],
  ["PS384", pss("sha384")],
  ["PS512", pss("sha512")],
  ["ES256", ecdsa("sha256")],
  ["ES384", ecdsa("sha384")],
  ["ES512", ecdsa("sha512")],
  ["EdDSA", { hash: null }],
])

const MIN_RSA_BITS = 2048

/** RFC 7518 §3.3: shorter RSA keys must not be used. */
const isLongEnough = ({ algorithm }: CryptoKey): boolean =>
  !("modulusLength" in algorithm) || Number(algorithm.modulusLength) >= MIN_RSA_BITS

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * Verifies a signature with one of the issuer's keys. It is checked here and now: a thread pool, which `jose` has it
 * checked in, costs several times what it saves. What is not plain is left to `jose`, which knows what to refuse.
 *
 * @throws Error when there is no such key, or the signature is not by it
 */
export async function requireSignature(
  token: string,
  header: CompactJWSHeaderParameters,
  findKey: FindKey,
): Promise<void> {
  const algorithm = ALGORITHMS.get(header.alg)
  const isPlain = header.crit === undefined && header.b64 === undefined && COMPACT.test(token)
  const key = algorithm && isPlain ? await findKey(header) : undefined
  if (!algorithm || !key || !isLongEnough(key)) {
    await compactVerify(token, findKey, { algorithms: [header.alg] })
    return
  }
  const end = token.lastIndexOf(".")
  const signed = Buffer.from(token.slice(0, end), "ascii")
  const signature = Buffer.from(token.slice(end + 1), "base64url")
  if (!verify(algorithm.hash, signed, { key: KeyObject.from(key), ...algorithm.options }, signature))
    throw new Error("signature verification failed: the token was changed, or signed with another key")
}

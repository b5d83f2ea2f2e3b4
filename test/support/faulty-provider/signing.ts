import { createHash, createHmac, generateKeyPair, type KeyObject, randomUUID, sign } from "node:crypto"
import { promisify } from "node:util"
import { CompactEncrypt } from "jose"
import type { Claims, ProviderMode } from "./mode.js"

const generate = promisify(generateKeyPair)

export interface SigningKey {
  readonly kid: string
  readonly alg: "RS256" | "ES256"
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** A new key with a new `kid`. */
export async function createSigningKey(alg: SigningKey["alg"], modulusLength = 2048): Promise<SigningKey> {
  const { privateKey, publicKey } =
    alg === "RS256" ? await generate("rsa", { modulusLength }) : await generate("ec", { namedCurve: "P-256" })
  return { kid: randomUUID(), alg, privateKey, publicKey }
}

/** The key as an entry of a JWKS. */
export function publicJwk({ kid, alg, publicKey }: SigningKey): Claims {
  return { ...publicKey.export({ format: "jwk" }), kid, alg, use: "sig" }
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

// Not with jose, which refuses to create invalid tokens.
function signWith({ alg, privateKey }: SigningKey, input: string): string {
  const key = alg === "ES256" ? { key: privateKey, dsaEncoding: "ieee-p1363" as const } : privateKey
  return sign("sha256", Buffer.from(input), key).toString("base64url")
}

const hmac = (secret: string | Buffer, input: string) => createHmac("sha256", secret).update(input).digest("base64url")

export interface SigningMaterial {
  /** The published keys. */
  readonly rsa: SigningKey
  readonly ec: SigningKey
  /** A key that is not in the JWKS. */
  unpublished(alg: SigningKey["alg"]): Promise<SigningKey>
  readonly clientSecret: string
}

type Signature = { alg: string; kid?: string; sign: (input: string) => string }

/** Signs an id_token or userinfo, correctly or with the faults of the mode. */
export async function signIdToken(claims: Claims, mode: ProviderMode, material: SigningMaterial): Promise<string> {
  const { alg, kid, sign } = await signatureFor(mode, material)
  const header = { alg, typ: "JWT", kid: kidFor(mode, kid) }
  const input = `${encode(mode.header?.(header) ?? header)}.${encode(claims)}`
  return `${input}.${mode.sig === "stripped" ? "" : sign(input)}`
}

async function signatureFor({ alg = "RS256", sig, key }: ProviderMode, material: SigningMaterial): Promise<Signature> {
  const { rsa, ec, clientSecret, unpublished } = material
  if (key) return { alg: key.alg, kid: key.kid, sign: (input) => signWith(key, input) }
  if (alg === "none" || alg === "None" || alg === "nOnE") return { alg, sign: () => "" }
  if (alg === "HS256-secret") return { alg: "HS256", sign: (input) => hmac(clientSecret, input) }
  if (alg === "HS256-public-key") {
    const pem = rsa.publicKey.export({ type: "spki", format: "pem" })
    return { alg: "HS256", kid: rsa.kid, sign: (input) => hmac(pem, input) }
  }
  const named = alg === "RS256" ? rsa : ec
  const used = sig === "other-key" || alg === "ES256-bad" ? await unpublished(named.alg) : named
  return { alg: named.alg, kid: named.kid, sign: (input) => signWith(used, input) }
}

function kidFor({ kid, jwksKid }: ProviderMode, own: string | undefined): string | undefined {
  if (kid === "unknown") return randomUUID()
  if (kid === "absent") return undefined
  return kid ?? (jwksKid === "absent" ? undefined : own)
}

/** Encrypts to the client with its secret (OpenID Connect Core §10.2). */
export function encrypt(text: string, { clientSecret }: { readonly clientSecret: string }): Promise<string> {
  const key = createHash("sha256").update(clientSecret).digest()
  return new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", cty: "JWT" })
    .encrypt(key)
}

/** `at_hash` (OpenID Connect Core §3.1.3.6) for the algorithms with SHA-256. */
export function hashOf(accessToken: string): string {
  return createHash("sha256").update(accessToken).digest().subarray(0, 16).toString("base64url")
}

/** The S256 challenge of a verifier (RFC 7636 §4.2). */
export function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url")
}

import { generateKeyPair, type KeyObject, randomUUID } from "node:crypto"
import { promisify } from "node:util"
import type { JWK, JWTPayload } from "jose"
import { SignJWT } from "jose/jwt/sign"
import { exportJWK } from "jose/key/export"

// The algorithm that OpenID providers must support (Core §15.1).
const ALGORITHM = "RS256"
const MODULUS_BITS = 2048

interface KeyPair {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const generate = promisify(generateKeyPair)

const createKeyPair = async (): Promise<KeyPair> => ({
  kid: randomUUID(),
  ...(await generate("rsa", { modulusLength: MODULUS_BITS })),
})

/** The signing key of the provider. It is generated at its first use. */
export class SigningKeys {
  readonly algorithm = ALGORITHM
  #current: Promise<KeyPair> | undefined
  #unpublished: Promise<KeyPair> | undefined

  /** Switches to a new key and stops publishing the old one. */
  async rotate(): Promise<void> {
    this.#current = createKeyPair()
    await this.#current
  }

  /** Returns the response of `jwks_uri` (RFC 7517 §5). */
  async published(): Promise<{ keys: JWK[] }> {
    const { kid, publicKey } = await this.#key()
    return { keys: [{ ...(await exportJWK(publicKey)), kid, alg: ALGORITHM, use: "sig" }] }
  }

  /** Returns the current public key, with which an `id_token_hint` is verified. */
  async publicKey(): Promise<KeyObject> {
    return (await this.#key()).publicKey
  }

  /** Signs the claims. `withOtherKey` uses an unpublished key, with the id of the published key. */
  async sign(claims: JWTPayload, { withOtherKey }: { readonly withOtherKey: boolean }): Promise<string> {
    const { kid, privateKey } = await this.#key()
    const key = withOtherKey ? (await this.#otherKey()).privateKey : privateKey
    return new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, typ: "JWT", kid }).sign(key)
  }

  #key(): Promise<KeyPair> {
    this.#current ??= createKeyPair()
    return this.#current
  }

  #otherKey(): Promise<KeyPair> {
    this.#unpublished ??= createKeyPair()
    return this.#unpublished
  }
}

import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto"
import type { Claims, ProviderMode } from "../../support/faulty-provider.js"

const exportJwk = ({ publicKey }: { publicKey: KeyObject }): Claims => ({ ...publicKey.export({ format: "jwk" }) })

/** A public key without a private key, because it signs nothing and generating a real pair is slow. */
const createRsa = (): Claims => ({ kty: "RSA", e: "AQAB", n: `w${randomBytes(256).toString("base64url").slice(1)}` })

/** One key of each kind that does not fit RS256. */
const createOthers = (): Claims[] => [
  exportJwk(generateKeyPairSync("ec", { namedCurve: "P-256" })),
  exportJwk(generateKeyPairSync("ec", { namedCurve: "secp256k1" })),
  exportJwk(generateKeyPairSync("ed25519")),
]

const isRsa = ({ kty }: Claims) => kty === "RSA"

/** The key without `kid` and `alg`. */
const withoutName = ({ kid: _kid, alg: _alg, ...jwk }: Claims): Claims => ({ use: "sig", ...jwk })

/** Publishes the provider's RSA key among others without `kid`, and omits `kid` from id_tokens. */
const publishingUnnamedKeys = (createMore: () => Claims[]): ProviderMode => ({
  kid: "absent",
  jwks: ({ keys }) => ({ keys: [...createMore(), ...keys.filter(isRsa)].map(withoutName) }),
})

/** One RSA key for signatures, one for encryption, and keys of other kinds. */
export const ONE_KEY_FITS = publishingUnnamedKeys(() => [{ ...createRsa(), use: "enc" }, ...createOthers()])

/** Three RSA keys for signatures, and keys of other kinds. */
export const THREE_KEYS_FIT = publishingUnnamedKeys(() => [createRsa(), createRsa(), ...createOthers()])

export const RSA_ALONE: ProviderMode = { jwks: ({ keys }) => ({ keys: keys.filter(isRsa) }) }

/** Keys with unknown types. */
export const WITH_UNKNOWN_KEYS: ProviderMode = {
  jwks: ({ keys }) => ({
    keys: [
      { kty: "AKP", alg: "ML-DSA-1000", kid: "post-quantum", use: "sig", pub: "bm90IGEga2V5" },
      { kty: "unheard-of", alg: "unheard-of", kid: "strange", use: "sig" },
      ...keys,
    ],
  }),
}

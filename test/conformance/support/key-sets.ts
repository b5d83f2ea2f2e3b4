import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto"
import type { Claims, ProviderMode } from "../../support/faulty-provider.js"

const jwkOf = ({ publicKey }: { publicKey: KeyObject }): Claims => ({ ...publicKey.export({ format: "jwk" }) })

/** One that nobody has the private half of: it takes long to make a real one, and this one signs nothing. */
const createRsa = (): Claims => ({ kty: "RSA", e: "AQAB", n: `w${randomBytes(256).toString("base64url").slice(1)}` })

/** A key of every kind that does not fit RS256. */
const createOthers = (): Claims[] => [
  jwkOf(generateKeyPairSync("ec", { namedCurve: "P-256" })),
  jwkOf(generateKeyPairSync("ec", { namedCurve: "secp256k1" })),
  jwkOf(generateKeyPairSync("ed25519")),
]

const isRsa = ({ kty }: Claims) => kty === "RSA"

/** Without what tells a key from others: neither `kid` nor `alg`. */
const nameless = ({ kid: _kid, alg: _alg, ...jwk }: Claims): Claims => ({ use: "sig", ...jwk })

/** The provider's RSA key among others, all of them without a name, and id_tokens that name none. */
const publishingNameless = (createMore: () => Claims[]): ProviderMode => ({
  kid: "absent",
  jwks: ({ keys }) => ({ keys: [...createMore(), ...keys.filter(isRsa)].map(nameless) }),
})

/** One RSA key for signatures, one for encryption, and some of other kinds. */
export const ONE_KEY_FITS = publishingNameless(() => [{ ...createRsa(), use: "enc" }, ...createOthers()])

/** Three RSA keys for signatures, and some of other kinds. */
export const THREE_KEYS_FIT = publishingNameless(() => [createRsa(), createRsa(), ...createOthers()])

export const RSA_ALONE: ProviderMode = { jwks: ({ keys }) => ({ keys: keys.filter(isRsa) }) }

/** Keys of a kind that is yet to come, and of one that never will. */
export const WITH_UNKNOWN_KEYS: ProviderMode = {
  jwks: ({ keys }) => ({
    keys: [
      { kty: "AKP", alg: "ML-DSA-1000", kid: "post-quantum", use: "sig", pub: "bm90IGEga2V5" },
      { kty: "unheard-of", alg: "unheard-of", kid: "strange", use: "sig" },
      ...keys,
    ],
  }),
}

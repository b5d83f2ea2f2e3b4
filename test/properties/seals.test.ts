import { type Claims, open, seal, unseal } from "../../lib/security/jwe.js"
import { createKeyring, deriveKeys } from "../../lib/security/keys.js"
import { fc } from "../support/properties.js"

const NOW = 1_800_000_000_000

/** The salts that are in use, and random ones. */
const anySalt = fc.oneof(
  fc.constantFrom("authjs.session-token", "__Secure-authjs.session-token", "latchkey.flow", "latchkey.challenge", ""),
  fc.string({ unit: "binary" }),
)
const anySecret = fc.oneof(fc.constantFrom("s", "S", "s ", "s\0"), fc.string({ unit: "binary", minLength: 1 }))
const anyClaims = fc.dictionary(fc.string(), fc.jsonValue()).map((claims): Claims => claims)

/** Returns the claims of a token, or the error as text. */
function openOrError(token: string, secrets: readonly string[], salt: string): unknown {
  try {
    return open(token, deriveKeys(secrets, salt), NOW)
  } catch (error) {
    return String(error)
  }
}

describe("seal() and open()", () => {
  it("do not open a token with another salt or another secret (property)", () => {
    fc.assert(
      fc.property(anyClaims, anySalt, anySalt, anySecret, anySecret, (claims, salt, other, secret, wrong) => {
        const token = seal(claims, deriveKeys([secret], salt), 60, NOW)
        const refused = expect.stringMatching(/^SealError: no matching decryption secret$/)
        if (salt !== other) expect(openOrError(token, [secret], other)).toEqual(refused)
        if (secret !== wrong) expect(openOrError(token, [wrong], salt)).toEqual(refused)
      }),
    )
  })

  it("do not open a token with another salt even if the token has no key id (property)", () => {
    const bare = Buffer.from('{"alg":"dir","enc":"A256CBC-HS512"}').toString("base64url")
    fc.assert(
      fc.property(anyClaims, anySalt, anySalt, (claims, salt, other) => {
        fc.pre(salt !== other)
        const ring = createKeyring(["a", "b"])
        const [, ...rest] = seal(claims, ring.for(salt), 60, NOW).split(".")
        expect(String(unseal([bare, ...rest].join("."), ring.for(other)))).toBe("SealError: decryption failed")
      }),
    )
  })

  it("return the sealed claims with each of several secrets (property)", () => {
    const anyOthers = fc.array(anySecret, { maxLength: 3 })
    fc.assert(
      fc.property(anyClaims, anySalt, anySecret, anyOthers, (claims, salt, secret, others) => {
        const token = seal(claims, deriveKeys([secret, "older"], salt), 60, NOW)
        const { iat, exp, jti, ...given } = open(token, deriveKeys([...others, secret], salt), NOW)
        expect([iat, exp, typeof jti]).toEqual([NOW / 1000, NOW / 1000 + 60, "string"])
        const { iat: _i, exp: _e, jti: _j, ...sealed } = JSON.parse(JSON.stringify(claims))
        expect(JSON.stringify(given)).toBe(JSON.stringify(sealed))
      }),
    )
  })

  it("never return other claims for a changed token (property)", () => {
    const anyChange = fc.record({ at: fc.nat(), removed: fc.nat(3), put: fc.string({ maxLength: 3 }) })
    fc.assert(
      fc.property(anyClaims, fc.array(anyChange, { minLength: 1, maxLength: 3 }), (claims, changes) => {
        const token = seal(claims, deriveKeys(["s"], "p"), 60, NOW)
        const changed = changes.reduce((text, { at, removed, put }) => {
          const from = at % (text.length + 1)
          return text.slice(0, from) + put + text.slice(from + removed)
        }, token)
        const result = openOrError(changed, ["s"], "p")
        // The last character of a part can have unused bits.
        if (typeof result !== "string") expect(result).toEqual(openOrError(token, ["s"], "p"))
        else expect(result).toMatch(/^SealError: /)
      }),
    )
  })
})

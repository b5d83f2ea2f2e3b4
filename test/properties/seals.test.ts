import { type Claims, open, seal, unseal } from "../../lib/security/jwe.js"
import { createKeyring, deriveKeys } from "../../lib/security/keys.js"
import { fc } from "../support/properties.js"

const NOW = 1_800_000_000_000

/** The purposes that there are, and any other. */
const anyPurpose = fc.oneof(
  fc.constantFrom("authjs.session-token", "__Secure-authjs.session-token", "latchkey.flow", "latchkey.challenge", ""),
  fc.string({ unit: "binary" }),
)
const anySecret = fc.oneof(fc.constantFrom("s", "S", "s ", "s\0"), fc.string({ unit: "binary", minLength: 1 }))
const anyClaims = fc.dictionary(fc.string(), fc.jsonValue()).map((claims): Claims => claims)

/** What is told of a token: what it opens to, or why it does not. */
function told(token: string, secrets: readonly string[], purpose: string): unknown {
  try {
    return open(token, deriveKeys(secrets, purpose), NOW)
  } catch (error) {
    return String(error)
  }
}

describe("A seal", () => {
  it("never opens for another purpose, nor with another secret (property)", () => {
    fc.assert(
      fc.property(anyClaims, anyPurpose, anyPurpose, anySecret, anySecret, (claims, purpose, other, secret, wrong) => {
        const token = seal(claims, deriveKeys([secret], purpose), 60, NOW)
        const refused = expect.stringMatching(/^SealError: no matching decryption secret$/)
        if (purpose !== other) expect(told(token, [secret], other)).toEqual(refused)
        if (secret !== wrong) expect(told(token, [wrong], purpose)).toEqual(refused)
      }),
    )
  })

  it("never opens for another purpose where its header does not say which key it wants (property)", () => {
    const bare = Buffer.from('{"alg":"dir","enc":"A256CBC-HS512"}').toString("base64url")
    fc.assert(
      fc.property(anyClaims, anyPurpose, anyPurpose, (claims, purpose, other) => {
        fc.pre(purpose !== other)
        const ring = createKeyring(["a", "b"])
        const [, ...rest] = seal(claims, ring.for(purpose), 60, NOW).split(".")
        expect(String(unseal([bare, ...rest].join("."), ring.for(other)))).toBe("SealError: decryption failed")
      }),
    )
  })

  it("gives back what was sealed, with each secret that there is (property)", () => {
    const anyOthers = fc.array(anySecret, { maxLength: 3 })
    fc.assert(
      fc.property(anyClaims, anyPurpose, anySecret, anyOthers, (claims, purpose, secret, others) => {
        const token = seal(claims, deriveKeys([secret, "older"], purpose), 60, NOW)
        const { iat, exp, jti, ...given } = open(token, deriveKeys([...others, secret], purpose), NOW)
        expect([iat, exp, typeof jti]).toEqual([NOW / 1000, NOW / 1000 + 60, "string"])
        const { iat: _i, exp: _e, jti: _j, ...sealed } = JSON.parse(JSON.stringify(claims))
        expect(JSON.stringify(given)).toBe(JSON.stringify(sealed))
      }),
    )
  })

  it("opens to nothing else, however it is changed (property)", () => {
    const anyChange = fc.record({ at: fc.nat(), removed: fc.nat(3), put: fc.string({ maxLength: 3 }) })
    fc.assert(
      fc.property(anyClaims, fc.array(anyChange, { minLength: 1, maxLength: 3 }), (claims, changes) => {
        const token = seal(claims, deriveKeys(["s"], "p"), 60, NOW)
        const changed = changes.reduce((text, { at, removed, put }) => {
          const from = at % (text.length + 1)
          return text.slice(0, from) + put + text.slice(from + removed)
        }, token)
        const result = told(changed, ["s"], "p")
        // The last character of a part has bits that count for nothing.
        if (typeof result !== "string") expect(result).toEqual(told(token, ["s"], "p"))
        else expect(result).toMatch(/^SealError: /)
      }),
    )
  })
})

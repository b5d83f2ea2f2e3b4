import { isSealedWithNewest, open, openOrEmpty, SealError, seal, unseal } from "../../../lib/security/jwe.js"
import { createKeyring, deriveKeys } from "../../../lib/security/keys.js"
import { type Content, compact, type Encryption, rawKey, rawSeal } from "../../support/jwe/raw-seal.js"

const SALT = "authjs.session-token"
const NOW_SECONDS = 1_800_000_000
const NOW = NOW_SECONDS * 1000
const SECRETS = ["one", "two"]
const keys = deriveKeys(SECRETS, SALT)

const encode = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64url")
const ENCRYPTIONS = ["A256CBC-HS512", "A256GCM"] as const

interface TokenParts extends Partial<Omit<Content, "header" | "plaintext">> {
  readonly enc?: Encryption
  readonly secret?: string
  /** Replaces the whole header if it is a string or bytes, and overrides its members otherwise. */
  readonly header?: string | Uint8Array | Readonly<Record<string, unknown>>
  readonly plaintext?: string | Uint8Array
}

/** Builds the parts of a token that opens unless an override breaks it. */
function partsOf({
  enc = "A256CBC-HS512",
  secret = "one",
  header = {},
  plaintext = '{"sub":"7"}',
  ...overrides
}: TokenParts = {}) {
  const isWhole = typeof header === "string" || header instanceof Uint8Array
  return rawSeal(rawKey(secret, SALT, enc), {
    header: encode(isWhole ? header : JSON.stringify({ alg: "dir", enc, ...header })),
    plaintext: Buffer.from(plaintext),
    iv: Buffer.alloc(enc === "A256GCM" ? 12 : 16, 7),
    ...overrides,
  })
}

const tokenOf = (parts?: TokenParts) => compact(partsOf(parts))

const openOrMessage = (token: string) => {
  try {
    return open(token, keys, NOW)
  } catch (error) {
    return (error as Error).message
  }
}

describe.each(ENCRYPTIONS)("open() with %s", (enc) => {
  const { kid } = rawKey("two", SALT, enc)

  it.each([
    ["the first secret", {}],
    ["a later secret", { secret: "two" }],
    ["a later secret whose key id it names", { secret: "two", header: { kid } }],
    ["a header member without effect", { header: { typ: "JWT" } }],
  ])("opens a token with %s", (_name, parts) => {
    expect(openOrMessage(tokenOf({ enc, ...parts }))).toEqual({ sub: "7" })
  })

  it.each<[string, TokenParts, string]>([
    ["another key management algorithm", { header: { alg: "A256KW" } }, "unsupported JWE header"],
    ["no key management algorithm", { header: { alg: undefined } }, "unsupported JWE header"],
    ["critical extensions", { header: { crit: ["exp"] } }, "unsupported JWE header"],
    ["critical extensions that are null", { header: { crit: null } }, "unsupported JWE header"],
    ["compression", { header: { zip: "DEF" } }, "unsupported JWE header"],
    ["the issuer in the header", { header: { iss: "x" } }, "unsupported JWE header"],
    ["the subject in the header", { header: { sub: "7" } }, "unsupported JWE header"],
    ["the audience in the header", { header: { aud: "x" } }, "unsupported JWE header"],
    ["another encryption", { header: { enc: "A128CBC-HS256" } }, "unsupported JWE encryption"],
    ["no encryption", { header: { enc: undefined } }, "unsupported JWE encryption"],
    ["a header that is not JSON", { header: "dir" }, "a sealed value is not JSON"],
    ["a header that is not UTF-8", { header: Buffer.from([0x22, 0xff, 0x22]) }, "a sealed value is not JSON"],
    ["an array as the header", { header: '["dir"]' }, "a sealed value is not an object"],
    ["null as the header", { header: "null" }, "a sealed value is not an object"],
    ["a string as the header", { header: '"dir"' }, "a sealed value is not an object"],
    ["an unknown secret", { secret: "three" }, "decryption failed"],
    ["an unknown key id", { header: { kid: "three" } }, "no matching decryption secret"],
    ["the key id of another secret", { header: { kid } }, "decryption failed"],
    ["an empty payload", { plaintext: "" }, "a sealed value is not JSON"],
    ["a payload that is not JSON", { plaintext: "sub=7" }, "a sealed value is not JSON"],
    ["an array as the payload", { plaintext: "[]" }, "a sealed value is not an object"],
    ["null as the payload", { plaintext: "null" }, "a sealed value is not an object"],
    ["a number as the payload", { plaintext: "7" }, "a sealed value is not an object"],
    ["a payload that is not UTF-8", { plaintext: Buffer.from([0x22, 0xff, 0x22]) }, "a sealed value is not JSON"],
    ["a string as iat", { plaintext: '{"iat":"1"}' }, "iat, exp or nbf is not a number"],
    ["a string as exp", { plaintext: '{"exp":"9999999999"}' }, "iat, exp or nbf is not a number"],
    ["null as exp", { plaintext: '{"exp":null}' }, "iat, exp or nbf is not a number"],
    ["a string as nbf", { plaintext: '{"nbf":"1"}' }, "iat, exp or nbf is not a number"],
    ["an IV of another length", { iv: Buffer.alloc(enc === "A256GCM" ? 16 : 12, 7) }, "decryption failed"],
  ])("refuses a token with %s", (_name, parts, why) => {
    expect(openOrMessage(tokenOf({ enc, ...parts }))).toBe(why)
  })

  it.each([
    [NOW_SECONDS - 14, { exp: NOW_SECONDS - 14 }],
    [NOW_SECONDS - 15, "expired"],
  ])("tolerates 15 seconds of clock skew in exp %d", (exp, expected) => {
    expect(openOrMessage(tokenOf({ enc, plaintext: JSON.stringify({ exp }) }))).toEqual(expected)
  })

  it.each([
    [NOW_SECONDS + 15, { nbf: NOW_SECONDS + 15 }],
    [NOW_SECONDS + 16, "not yet valid"],
  ])("tolerates 15 seconds of clock skew in nbf %d", (nbf, expected) => {
    expect(openOrMessage(tokenOf({ enc, plaintext: JSON.stringify({ nbf }) }))).toEqual(expected)
  })

  it.each([1, 4, 8, 12, 15])("refuses a token whose tag is truncated to %d bytes, which could be guessed", (length) => {
    const parts = partsOf({ enc })
    expect(openOrMessage(compact({ ...parts, tag: parts.tag.subarray(0, length) }))).toBe("decryption failed")
  })

  it("refuses a token with a changed bit in any part", () => {
    const parts = partsOf({ enc })
    for (const name of ["iv", "ciphertext", "tag"] as const) {
      const changed = Buffer.from(parts[name])
      changed[0] = (changed[0] ?? 0) ^ 1
      expect(openOrMessage(compact({ ...parts, [name]: changed }))).toBe("decryption failed")
    }
    const header = encode(JSON.stringify({ alg: "dir", enc, typ: "JWT" }))
    expect(openOrMessage(compact({ ...parts, header }))).toBe("decryption failed")
  })

  it.each([
    ["the header", 0],
    ["the IV", 2],
    ["the ciphertext", 3],
    ["the tag", 4],
  ])("refuses a token if %s is empty or has an extra character", (_name, place) => {
    const parts = tokenOf({ enc, plaintext: '{"sub":"77"}' }).split(".")
    const withPart = (part: string) => openOrMessage(parts.with(place, part).join("."))
    // An empty ciphertext is well-formed, but its tag does not match.
    expect(withPart("")).toBe(place === 3 ? "decryption failed" : "not a compact JWE")
    const whole = parts[place] ?? ""
    const oneTooMany = whole + "A".repeat((5 - (whole.length % 4)) % 4 || 4)
    expect(oneTooMany.length % 4).toBe(1)
    expect(withPart(oneTooMany)).toBe("not a compact JWE")
  })

  it.each([
    ["a part before the token", (token: string) => `x.${token}`],
    ["a space before the token", (token: string) => ` ${token}`],
    ["a part after the token", (token: string) => `${token}.x`],
    ["a newline after the token", (token: string) => `${token}\n`],
    ["an encrypted key", (token: string) => token.replace("..", ".AAAA.")],
    ["characters that are not base64url", (token: string) => token.replace("..", "+..")],
  ])("refuses a token with %s as malformed", (_name, change) => {
    expect(openOrMessage(change(tokenOf({ enc })))).toBe("not a compact JWE")
  })
})

it("open() refuses an authenticated ciphertext whose length is not a multiple of the block size", () => {
  expect(openOrMessage(tokenOf({ ciphertext: Buffer.alloc(15) }))).toBe("decryption failed")
})

describe("SealError", () => {
  const refused = (): SealError => {
    try {
      open("no token", keys, NOW)
    } catch (error) {
      if (error instanceof SealError) return error
    }
    throw new Error("the token was opened")
  }

  it("is a new object with its name each time it is thrown", () => {
    expect(refused()).toMatchObject({ name: "SealError", reason: "malformed", message: "not a compact JWE" })
    expect(refused()).not.toBe(refused())
    expect(Object.isFrozen(refused())).toBe(false)
  })

  it("is one frozen object without a location when unseal() returns it", () => {
    const returned = unseal("no token", keys)
    expect(returned).toBe(unseal("another", keys))
    expect(returned).toMatchObject({ message: "not a compact JWE", stack: "SealError: not a compact JWE" })
    expect(Object.isFrozen(returned)).toBe(true)
  })

  it("is returned for a payload that is not UTF-8", () => {
    const returned = unseal(tokenOf({ plaintext: Buffer.from([0xff]) }), keys)
    expect(returned).toBeInstanceOf(SealError)
    expect(returned).toMatchObject({ message: "a sealed value is not JSON" })
  })
})

describe("seal()", () => {
  it("writes a header with alg, enc and the key id", () => {
    const [header = ""] = seal({}, keys, 60, NOW).split(".")
    const { kid } = rawKey("one", SALT, "A256CBC-HS512")
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({ alg: "dir", enc: "A256CBC-HS512", kid })
  })

  it("keeps text in any script", () => {
    const name = "Ada é 用户 🙂"
    expect(open(seal({ name }, keys, 60, NOW), keys, NOW)).toMatchObject({ name })
  })

  it("rounds the time down to a whole second", () => {
    expect(open(seal({}, keys, 60, NOW + 999), keys, NOW)).toMatchObject({ iat: NOW_SECONDS, exp: NOW_SECONDS + 60 })
  })
})

describe("openOrEmpty()", () => {
  it("returns the claims of a valid value", () => {
    expect(openOrEmpty(seal({ sub: "7" }, keys, 60, NOW), keys, NOW)).toMatchObject({ sub: "7" })
  })

  it.each([
    ["missing", undefined],
    ["empty", ""],
    ["malformed", "no token"],
    ["expired", seal({ sub: "7" }, keys, 60, NOW - 75_000)],
    ["sealed for another purpose", seal({ sub: "7" }, deriveKeys(SECRETS, "another"), 60, NOW)],
  ])("returns no claims for a value that is %s", (_why, value) => {
    expect(openOrEmpty(value, keys, NOW)).toEqual({})
  })
})

it("deriveKeys() and createKeyring() throw without a secret", () => {
  const needed = new TypeError("encryption requires a secret")
  expect(() => deriveKeys([], SALT)).toThrow(needed)
  expect(() => deriveKeys([], SALT)).toThrow(TypeError)
  expect(() => createKeyring([]).for(SALT)).toThrow(needed)
})

describe("isSealedWithNewest()", () => {
  it("is true only for a token that is sealed with the first secret", () => {
    const sealedBy = (...secrets: string[]) => seal({}, deriveKeys(secrets, SALT), 60, NOW)
    expect(isSealedWithNewest(sealedBy("one"), keys)).toBe(true)
    expect(isSealedWithNewest(sealedBy("two"), keys)).toBe(false)
    expect(isSealedWithNewest(sealedBy("two", "one"), keys)).toBe(false)
  })
})

import { open, SealError, seal, unseal } from "../../../lib/security/jwe.js"
import { createKeyring, deriveKeys } from "../../../lib/security/keys.js"
import { type Content, compact, type Encryption, rawKey, rawSeal } from "../../support/jwe/raw-seal.js"

const SALT = "authjs.session-token"
const NOW_SECONDS = 1_800_000_000
const NOW = NOW_SECONDS * 1000
const SECRETS = ["one", "two"]
const keys = deriveKeys(SECRETS, SALT)

const encode = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64url")
const ENCRYPTIONS = ["A256CBC-HS512", "A256GCM"] as const

interface Made extends Partial<Omit<Content, "header" | "plaintext">> {
  readonly enc?: Encryption
  readonly secret?: string
  /** In place of the usual members, or over them. */
  readonly header?: string | Uint8Array | Readonly<Record<string, unknown>>
  readonly plaintext?: string | Uint8Array
}

/** The parts of a token that opens, where nothing says otherwise. */
function partsOf({ enc = "A256CBC-HS512", secret = "one", header = {}, plaintext = '{"sub":"7"}', ...odd }: Made = {}) {
  const isWhole = typeof header === "string" || header instanceof Uint8Array
  return rawSeal(rawKey(secret, SALT, enc), {
    header: encode(isWhole ? header : JSON.stringify({ alg: "dir", enc, ...header })),
    plaintext: Buffer.from(plaintext),
    iv: Buffer.alloc(enc === "A256GCM" ? 12 : 16, 7),
    ...odd,
  })
}

const tokenOf = (made?: Made) => compact(partsOf(made))

const openedOrWhy = (token: string) => {
  try {
    return open(token, keys, NOW)
  } catch (error) {
    return (error as Error).message
  }
}

describe.each(ENCRYPTIONS)("a token by %s", (enc) => {
  const { kid } = rawKey("two", SALT, enc)

  it.each([
    ["by the first secret", {}],
    ["by a later secret", { secret: "two" }],
    ["by a later secret that it names", { secret: "two", header: { kid } }],
    ["with a member that says nothing of its meaning", { header: { typ: "JWT" } }],
  ])("opens %s", (_name, made) => {
    expect(openedOrWhy(tokenOf({ enc, ...made }))).toEqual({ sub: "7" })
  })

  it.each<[string, Made, string]>([
    ["another way to agree on a key", { header: { alg: "A256KW" } }, "unsupported JWE header"],
    ["no way to agree on a key", { header: { alg: undefined } }, "unsupported JWE header"],
    ["extensions", { header: { crit: ["exp"] } }, "unsupported JWE header"],
    ["extensions, none", { header: { crit: null } }, "unsupported JWE header"],
    ["compression", { header: { zip: "DEF" } }, "unsupported JWE header"],
    ["the issuer repeated", { header: { iss: "x" } }, "unsupported JWE header"],
    ["the subject repeated", { header: { sub: "7" } }, "unsupported JWE header"],
    ["the audience repeated", { header: { aud: "x" } }, "unsupported JWE header"],
    ["another encryption", { header: { enc: "A128CBC-HS256" } }, "unsupported JWE encryption"],
    ["no encryption", { header: { enc: undefined } }, "unsupported JWE encryption"],
    ["a header that is no JSON", { header: "dir" }, "a sealed value is not JSON"],
    ["a header that is no UTF-8", { header: Buffer.from([0x22, 0xff, 0x22]) }, "a sealed value is not JSON"],
    ["a list as its header", { header: '["dir"]' }, "a sealed value is no object"],
    ["null as its header", { header: "null" }, "a sealed value is no object"],
    ["a text as its header", { header: '"dir"' }, "a sealed value is no object"],
    ["a secret of nobody", { secret: "three" }, "decryption failed"],
    ["the name of another secret", { header: { kid: "three" } }, "no matching decryption secret"],
    ["the name of the wrong secret", { header: { kid } }, "decryption failed"],
    ["nothing in it", { plaintext: "" }, "a sealed value is not JSON"],
    ["text in it", { plaintext: "sub=7" }, "a sealed value is not JSON"],
    ["a list in it", { plaintext: "[]" }, "a sealed value is no object"],
    ["null in it", { plaintext: "null" }, "a sealed value is no object"],
    ["a number in it", { plaintext: "7" }, "a sealed value is no object"],
    ["bytes in it that are no UTF-8", { plaintext: Buffer.from([0x22, 0xff, 0x22]) }, "a sealed value is not JSON"],
    ["a text for its beginning", { plaintext: '{"iat":"1"}' }, "a time among the claims is not a number"],
    ["a text for its end", { plaintext: '{"exp":"9999999999"}' }, "a time among the claims is not a number"],
    ["null for its end", { plaintext: '{"exp":null}' }, "a time among the claims is not a number"],
    ["a text for when it is good", { plaintext: '{"nbf":"1"}' }, "a time among the claims is not a number"],
    ["an IV of another length", { iv: Buffer.alloc(enc === "A256GCM" ? 16 : 12, 7) }, "decryption failed"],
  ])("does not open with %s", (_name, made, why) => {
    expect(openedOrWhy(tokenOf({ enc, ...made }))).toBe(why)
  })

  it.each([
    [NOW_SECONDS - 14, { exp: NOW_SECONDS - 14 }],
    [NOW_SECONDS - 15, "expired"],
  ])("ends 15 seconds late, for clocks differ: %d", (exp, expected) => {
    expect(openedOrWhy(tokenOf({ enc, plaintext: JSON.stringify({ exp }) }))).toEqual(expected)
  })

  it.each([
    [NOW_SECONDS + 15, { nbf: NOW_SECONDS + 15 }],
    [NOW_SECONDS + 16, "not yet valid"],
  ])("is good 15 seconds early, for clocks differ: %d", (nbf, expected) => {
    expect(openedOrWhy(tokenOf({ enc, plaintext: JSON.stringify({ nbf }) }))).toEqual(expected)
  })

  it.each([1, 4, 8, 12, 15])("does not open with the first %d bytes of its tag, which could be guessed", (length) => {
    const parts = partsOf({ enc })
    expect(openedOrWhy(compact({ ...parts, tag: parts.tag.subarray(0, length) }))).toBe("decryption failed")
  })

  it("does not open when a bit of it was changed", () => {
    const parts = partsOf({ enc })
    for (const name of ["iv", "ciphertext", "tag"] as const) {
      const changed = Buffer.from(parts[name])
      changed[0] = (changed[0] ?? 0) ^ 1
      expect(openedOrWhy(compact({ ...parts, [name]: changed }))).toBe("decryption failed")
    }
    const header = encode(JSON.stringify({ alg: "dir", enc, typ: "JWT" }))
    expect(openedOrWhy(compact({ ...parts, header }))).toBe("decryption failed")
  })

  it.each([
    ["the header", 0],
    ["the IV", 2],
    ["the ciphertext", 3],
    ["the tag", 4],
  ])("is malformed without %s, and with a character too many in it", (_name, place) => {
    const parts = tokenOf({ enc, plaintext: '{"sub":"77"}' }).split(".")
    const withPart = (part: string) => openedOrWhy(parts.with(place, part).join("."))
    // An empty ciphertext is a form like another, and does not belong to the tag.
    expect(withPart("")).toBe(place === 3 ? "decryption failed" : "not a compact JWE")
    const whole = parts[place] ?? ""
    const oneTooMany = whole + "A".repeat((5 - (whole.length % 4)) % 4 || 4)
    expect(oneTooMany.length % 4).toBe(1)
    expect(withPart(oneTooMany)).toBe("not a compact JWE")
  })

  it.each([
    ["before it", (token: string) => `x.${token}`],
    ["a blank before it", (token: string) => ` ${token}`],
    ["behind it", (token: string) => `${token}.x`],
    ["a line's end behind it", (token: string) => `${token}\n`],
    ["an encrypted key", (token: string) => token.replace("..", ".AAAA.")],
    ["signs that are not base64url", (token: string) => token.replace("..", "+..")],
  ])("is malformed with something else: %s", (_name, change) => {
    expect(openedOrWhy(change(tokenOf({ enc })))).toBe("not a compact JWE")
  })
})

it("a ciphertext that its tag covers and that is no whole number of blocks does not open", () => {
  expect(openedOrWhy(tokenOf({ ciphertext: Buffer.alloc(15) }))).toBe("decryption failed")
})

describe("a refusal", () => {
  const refused = (): SealError => {
    try {
      open("no token", keys, NOW)
    } catch (error) {
      if (error instanceof SealError) return error
    }
    throw new Error("it was opened")
  }

  it("says by its name what it is, and is the caller's own each time it is thrown", () => {
    expect(refused()).toMatchObject({ name: "SealError", message: "not a compact JWE" })
    expect(refused()).not.toBe(refused())
    expect(Object.isFrozen(refused())).toBe(false)
  })

  it("is one for all when it is returned: nobody can change it, and it names no place", () => {
    const returned = unseal("no token", keys)
    expect(returned).toBe(unseal("another", keys))
    expect(returned).toMatchObject({ message: "not a compact JWE", stack: "SealError: not a compact JWE" })
    expect(Object.isFrozen(returned)).toBe(true)
  })

  it("is what comes of bytes that are no text", () => {
    const returned = unseal(tokenOf({ plaintext: Buffer.from([0xff]) }), keys)
    expect(returned).toBeInstanceOf(SealError)
    expect(returned).toMatchObject({ message: "a sealed value is not JSON" })
  })
})

describe("what sealing writes", () => {
  it("has a header with algorithm, encryption and the key's name", () => {
    const [header = ""] = seal({}, keys, 60, NOW).split(".")
    const { kid } = rawKey("one", SALT, "A256CBC-HS512")
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({ alg: "dir", enc: "A256CBC-HS512", kid })
  })

  it("is text of every script as it was", () => {
    const name = "Ada é 用户 🙂"
    expect(open(seal({ name }, keys, 60, NOW), keys, NOW)).toMatchObject({ name })
  })

  it("begins at a whole second, the one that has begun", () => {
    expect(open(seal({}, keys, 60, NOW + 999), keys, NOW)).toMatchObject({ iat: NOW_SECONDS, exp: NOW_SECONDS + 60 })
  })
})

it("needs a secret, and says so", () => {
  const needed = new TypeError("a secret is needed to seal and to open")
  expect(() => deriveKeys([], SALT)).toThrow(needed)
  expect(() => createKeyring([]).for(SALT)).toThrow(needed)
})

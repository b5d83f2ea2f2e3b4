import { CompactEncrypt } from "jose"
import { decode, encode, getToken } from "../../../lib/jwt.js"
import { open, seal } from "../../../lib/security/jwe.js"
import { createKeyring, deriveKeys } from "../../../lib/security/keys.js"

const SALT = "authjs.session-token"
const NOW = 1_800_000_000_000

const CBC =
  "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2Q0JDLUhTNTEyIiwia2lkIjoiN3g5RFVNVmFFVTZnaWFiMGwwT1dEdDRlNFNzUkhfY2J3TW9mMkV6RXl5Nm9uSzVvOHhTUFBCNzk5UlZvcW0ydjZ6Njc0a1FDdjlqb20yVDhTLWExZFEifQ..R0GqfdSxEoHKivcdljGyQg.hynT6i4-lRsjvlFUnhPaKHk1cCltxK_9kcC5G5hhQ3VUhrReTbUKctkI_JkcYYVEKxvlb34O5tl6ow7VdxQN2xt2NsBQ8-HI0pu0aEcpE6vtLyAHtpp3bO4Yand3U4_Eqp0BKYw2-k9GnMSjKu15tlyfdzbP6Qmd8uMJzO892XJ9G18dcim6ClHHFqbJErWZiieo7yNfc8SPB_IW86klEg.jHSn07bZyrWHAtwHz6RgvSVJ38t9UjEbfuywacxDQyY"
const GCM =
  "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..yqJmOQU-DscGyooF.m8K2YUUAzjQp8EKggve9cyiAmFK4pZH2EvnOAsUu5lFgSXuUiI0xJc12A7GVWQ.ZifmnMJ4OHGMQD4cNe-rGQ"

describe("tokens of Auth.js", () => {
  it.each([
    [
      "authjs.session-token",
      "b1ef6cdd915c44c0a71232574a6a70546a5e16d12bb38df4638e3b96bdd32025131e90695ff072a9d148f1511c7a4981a85b63a628311da1fa7ccfc49c47c2bb",
      "7x9DUMVaEU6giab0l0OWDt4e4SsRH_cbwMof2EzEyy6onK5o8xSPPB799RVoqm2v6z674kQCv9jom2T8S-a1dQ",
    ],
    [
      "__Secure-authjs.session-token",
      "0d8bf2d720367891eda6b7cc8f1960cf3fac4c0e5972e05c0ea71f835d01d69a60b8d258a71a473d46b0eec5ed3dfe45a7bcfbe54ccfa14f50206f3af0f777f5",
      "7E3YIGAxRtn6djTGy1UjZrFvXELHKzM9vfWl0nQ4b88EsnrmmX0grN0VKis7G3fjgB626TXm_lEtBG1N0E7Xyg",
    ],
    [
      "encodedState",
      "873919037dab91c0520af9b5dbaa5c3642b0ee31f816a0b08fc766b788879243af6b009a41598809c140510bd5f782dfe391ce3792140318fad4e4cd6b6d99a4",
      "ze1rGMPGVDubcXDnXo8NkdIqeDyuSSG3mI5gRPgxRiRlgDu9MMjrpKw4-pNomgcTqiQZlith1dCysR6uVPfKfg",
    ],
  ])("derive the key and key id of %s", (salt, key, kid) => {
    const { cbc, gcm } = deriveKeys(["secret"], salt)
    expect([cbc[0].macKey.toString("hex") + cbc[0].cipherKey.toString("hex"), cbc[0].kid]).toEqual([key, kid])
    expect(gcm()[0]?.cipherKey.toString("hex")).toBe(key.slice(0, 64))
  })

  it.each(["secret", ["x", "secret"]])("are decoded with the secret %j", async (secret) => {
    expect(await decode({ token: CBC, secret, salt: SALT })).toEqual({
      name: "Ada",
      email: "ada@example.com",
      picture: null,
      sub: "42",
      iat: 1795255710,
      exp: 3372055710,
      jti: "8e6d6ebe-ea86-4377-ae82-d35ddd5aa670",
    })
    expect(await decode({ token: GCM, secret, salt: SALT })).toEqual({ sub: "42", iat: 1700000000, exp: 3900000000 })
  })

  it("are refused with another secret or salt", async () => {
    await expect(decode({ token: CBC, secret: "x", salt: SALT })).rejects.toThrow("no matching decryption secret")
    await expect(decode({ token: CBC, secret: "secret", salt: "other" })).rejects.toThrow()
    await expect(decode({ token: GCM, secret: "x", salt: SALT })).rejects.toThrow()
  })
})

describe("seal() and open()", () => {
  const keys = deriveKeys(["one", "two"], SALT)

  it("set iat, exp and jti, and override the given ones", () => {
    const claims = open(seal({ iat: 1, exp: 2, jti: "x", sub: "7", gone: undefined }, keys, 60, NOW), keys, NOW)
    expect(claims).toEqual({
      iat: NOW / 1000,
      exp: NOW / 1000 + 60,
      jti: expect.stringMatching(/^[\da-f-]{36}$/),
      sub: "7",
    })
  })

  it("never seal to the same text twice", () => {
    const tokens = new Set(Array.from({ length: 1_000 }, () => seal({}, keys, 60, NOW)))
    expect(tokens.size).toBe(1_000)
  })

  it.each([
    [0, true],
    [60_000, true],
    [74_999, true],
    [75_000, false],
    [10 ** 9, false],
  ])("after %d ms of a 60 s lifetime, the token opens: %s", (after, opens) => {
    const token = seal({}, keys, 60, NOW)
    const attempt = () => open(token, keys, NOW + after)
    if (opens) expect(attempt()).toMatchObject({ exp: NOW / 1000 + 60 })
    else expect(attempt).toThrow("expired")
  })

  it("support dates after 2038", () => {
    const late = Date.UTC(2099, 0, 1)
    expect(open(seal({}, keys, 60, late), keys, late)).toMatchObject({ iat: late / 1000 })
  })

  it.each([{ nbf: NOW / 1000 + 60 }, { nbf: "soon" }])("refuse a token with %j", (claims) => {
    expect(() => open(seal(claims, keys, 60, NOW), keys, NOW)).toThrow()
  })

  it("seal with the first secret, open with each, and separate salts", () => {
    const ring = createKeyring(["one", "two"])
    const token = seal({}, ring.for(SALT), 60, NOW)
    expect(open(token, createKeyring(["zero", "one"]).for(SALT), NOW)).toBeTruthy()
    expect(() => open(token, createKeyring(["two"]).for(SALT), NOW)).toThrow("no matching decryption secret")
    for (const salt of ["authjs.state", "", `${SALT} `, "encodedState"])
      expect(() => open(token, ring.for(salt), NOW)).toThrow()
    expect(ring.for(SALT)).toBe(ring.for(SALT))
  })

  it.each(["", ".", "....", "a.b.c.d.e", "a..c.d.e", "eyJ9..a.b.c", "e30..a.b.c", "bnVsbA..a.b.c", " . . . . "])(
    "refuse the malformed token %j",
    (text) => {
      expect(() => open(text, keys, NOW)).toThrow()
    },
  )
})

describe("open() with tokens that jose opens or refuses", () => {
  const keys = deriveKeys(["secret"], SALT)
  const [{ macKey, cipherKey }] = keys.cbc
  const bytes = Buffer.concat([macKey, cipherKey])
  const sealBytes = (claims: Uint8Array, header = {}) =>
    new CompactEncrypt(claims).setProtectedHeader({ alg: "dir", enc: "A256CBC-HS512", ...header }).encrypt(bytes)
  const claims = Buffer.from('{"sub":"7"}')

  it("opens a valid token by jose", async () => {
    expect(open(await sealBytes(claims, { typ: "JWT" }), keys, NOW)).toEqual({ sub: "7" })
  })

  it("refuses a part with a trailing character that encodes no byte", () => {
    // The 92-byte payload is encrypted to 96 bytes, which base64url encodes without a remainder.
    const token = seal({ filler: "" }, keys, 60, NOW)
    const [, , , ciphertext = ""] = token.split(".")
    expect(ciphertext).toHaveLength(128)
    expect(() => open(token.replace(ciphertext, `${ciphertext}A`), keys, NOW)).toThrow("not a compact JWE")
  })

  it.each([[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80]])("refuses a payload that is not UTF-8: %d", async (...broken) => {
    const token = await sealBytes(Buffer.concat([Buffer.from('{"sub":"'), Buffer.from(broken), Buffer.from('"}')]))
    expect(() => open(token, keys, NOW)).toThrow()
  })

  it.each([{ sub: "8" }, { iss: "x" }, { aud: ["x"] }])(
    "refuses claims that are repeated in the header: %j",
    async (header) => {
      const token = await sealBytes(claims, header)
      expect(() => open(token, keys, NOW)).toThrow("unsupported JWE header")
    },
  )
})

describe("getToken", () => {
  const cookie = async (name = SALT) => `${name}=${await encode({ token: { sub: "7" }, secret: "secret", salt: name })}`

  it("reads the cookie from a Request, from plain headers and from a Headers object", async () => {
    const headers = { cookie: await cookie() }
    const expected = expect.objectContaining({ sub: "7" })
    expect(await getToken({ req: new Request("http://x.test", { headers }), secret: "secret" })).toEqual(expected)
    expect(await getToken({ req: { headers }, secret: ["new", "secret"] })).toEqual(expected)
    expect(await getToken({ req: { headers }, secret: [undefined, "secret"] })).toEqual(expected)
    expect(await getToken({ req: { headers: new Headers(headers) }, secret: "secret" })).toEqual(expected)
  })

  it("reads the secure cookie name, or the given one", async () => {
    const secure = { cookie: await cookie("__Secure-authjs.session-token") }
    expect(await getToken({ req: { headers: secure }, secret: "secret", secureCookie: true })).toMatchObject({
      sub: "7",
    })
    expect(await getToken({ req: { headers: secure }, secret: "secret" })).toBeNull()
    const own = { cookie: await cookie("own") }
    expect(await getToken({ req: { headers: own }, secret: "secret", cookieName: "own" })).toMatchObject({ sub: "7" })
  })

  it("joins chunked cookies", async () => {
    const token = await encode({ token: { sub: "7", filler: "x".repeat(5000) }, secret: "secret", salt: SALT })
    const headers = { cookie: `${SALT}.1=${token.slice(3936)}; ${SALT}.0=${token.slice(0, 3936)}` }
    expect(await getToken({ req: { headers }, secret: "secret" })).toMatchObject({ sub: "7" })
  })

  it("reads a percent-encoded bearer token", async () => {
    const token = await encode({ token: { sub: "7" }, secret: "secret", salt: SALT })
    const headers = { authorization: `Bearer ${encodeURIComponent(token)}` }
    expect(await getToken({ req: { headers }, secret: "secret" })).toMatchObject({ sub: "7" })
    expect(await getToken({ req: { headers }, raw: true })).toBe(token)
  })

  it.each(["%", "%A", "%ZZ"])("returns null for the malformed bearer token %s", async (bearer) => {
    const headers = { authorization: `Bearer ${bearer}` }
    expect(await getToken({ req: { headers }, secret: "secret" })).toBeNull()
    expect(await getToken({ req: { headers }, raw: true })).toBeNull()
  })

  it("returns null if the token is missing or invalid", async () => {
    expect(await getToken({ req: { headers: {} }, secret: "secret" })).toBeNull()
    expect(await getToken({ req: { headers: { cookie: await cookie() } }, secret: "other" })).toBeNull()
  })

  it("rejects without a request or without a secret", async () => {
    await expect(getToken({ req: undefined as never, secret: "secret" })).rejects.toThrow(TypeError)
    await expect(getToken({ req: { headers: { cookie: await cookie() } } })).rejects.toMatchObject({
      type: "MissingSecret",
    })
  })

  it("decode rejects with a new error object each time", async () => {
    const refused = () => decode({ token: "no token", secret: "s1", salt: SALT }).catch((error: unknown) => error)
    const [one, other] = [await refused(), await refused()]
    expect(Object.assign(one as Error, { status: 401 })).toMatchObject({ message: "not a compact JWE", status: 401 })
    expect(other).not.toHaveProperty("status")
  })

  it("encode uses the first of several secrets, and decode tries each", async () => {
    const token = await encode({ token: { sub: "7" }, secret: ["s1", "s2"], salt: SALT })
    expect(await decode({ token, secret: "s1", salt: SALT })).toMatchObject({ sub: "7" })
    await expect(decode({ token, secret: "s2", salt: SALT })).rejects.toThrow("no matching decryption secret")
    const third = await encode({ token: {}, secret: "s3", salt: SALT })
    await expect(decode({ token: third, secret: ["s1", "s2"], salt: SALT })).rejects.toThrow(
      "no matching decryption secret",
    )
    expect(await decode({ secret: "s1", salt: SALT })).toBeNull()
    expect(await decode({ token: "", secret: "s1", salt: SALT })).toBeNull()
  })
})

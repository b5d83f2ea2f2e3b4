import crypto from "node:crypto"
import { resolveConfig } from "../../../lib/config/resolve.js"
import { SealError } from "../../../lib/security/jwe.js"
import { type Codec, createCodec, type Decoded } from "../../../lib/sessions/codec.js"
import type { JWT } from "../../../lib/types.js"

const NAME = "authjs.session-token"
const HOUR = 60 * 60
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** Returns a codec and its clock, which the test sets; a token lives for an hour. */
function createTestCodec(secret: string | string[] = "the first secret, long enough for a test") {
  const clock = { ms: Date.parse("2030-01-01T00:00:00Z") }
  const config = resolveConfig({ providers: [], secret, jwt: { maxAge: HOUR } }, {})
  return { clock, codec: createCodec(config, () => clock.ms) }
}

function open(codec: Codec, token: string, name = NAME): JWT {
  const decoded = codec.decode(token, name)
  if (decoded instanceof SealError) throw decoded
  return (decoded as Decoded).claims
}

describe("createCodec with a token that it has already opened", () => {
  it.each<[string, JWT]>([
    ["flat", { sub: "1", name: "Ada" }],
    ["nested", { sub: "1", roles: ["admin"], team: { id: 7 } }],
  ])("returns separate claims to each reader: %s", async (_kind, claims) => {
    const { codec } = createTestCodec()
    const token = await codec.encode(claims, NAME)
    open(codec, token)
    open(codec, token)
    const first = open(codec, token)
    expect(first).toMatchObject(claims)
    for (const value of Object.values(first)) if (Array.isArray(value)) value.push("intruder")
    Object.assign(first, { sub: "2", extra: true })
    const second = open(codec, token)
    expect(second).toMatchObject(claims)
    expect(second).not.toHaveProperty("extra")
    second.sub = "3"
    expect(open(codec, token)).toMatchObject(claims)
  })

  it("decrypts the token twice at most", async () => {
    const { codec } = createTestCodec()
    const token = await codec.encode({ sub: "1" }, NAME)
    const decipher = jest.spyOn(crypto, "createDecipheriv")
    for (let i = 0; i < 10; i++) expect(open(codec, token).sub).toBe("1")
    expect(decipher).toHaveBeenCalledTimes(2)
    decipher.mockRestore()
  })

  it("still expires the token", async () => {
    const { codec, clock } = createTestCodec()
    const token = await codec.encode({ sub: "1" }, NAME)
    for (let i = 0; i < 3; i++) expect(open(codec, token).sub).toBe("1")
    clock.ms += (HOUR + 14) * 1000
    expect(open(codec, token).sub).toBe("1")
    clock.ms += 1000
    expect(() => open(codec, token)).toThrow("expired")
    expect(() => open(codec, token)).toThrow("expired")
  })

  it("refuses the token under another cookie name or with another secret", async () => {
    const { codec } = createTestCodec()
    const token = await codec.encode({ sub: "1" }, NAME)
    for (let i = 0; i < 3; i++) open(codec, token)
    expect(() => open(codec, token, `__Secure-${NAME}`)).toThrow("no matching decryption secret")
    expect(() => open(createTestCodec("another secret, long enough for a test").codec, token)).toThrow()
  })

  it("refuses the token with any character changed", async () => {
    const { codec } = createTestCodec()
    const token = await codec.encode({ sub: "1" }, NAME)
    for (let i = 0; i < 3; i++) open(codec, token)
    for (let at = 0; at < token.length; at++) {
      // The first of the six bits, because the last bits of a part can be padding.
      const other = BASE64URL[BASE64URL.indexOf(token[at] ?? "") ^ 32] ?? "A"
      expect(() => open(codec, token.slice(0, at) + other + token.slice(at + 1))).toThrow()
    }
  })

  it("opens the token after 10,000 others", async () => {
    const { codec } = createTestCodec()
    const token = await codec.encode({ sub: "1" }, NAME)
    for (let i = 0; i < 10_000; i++) open(codec, await codec.encode({ sub: `other ${i}` }, NAME))
    expect(open(codec, token).sub).toBe("1")
  })
})

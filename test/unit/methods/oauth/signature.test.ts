import { createSign, generateKeyPairSync } from "node:crypto"
import { CompactSign, createLocalJWKSet, exportJWK, type GenerateKeyPairResult, generateKeyPair } from "jose"
import { requireSignature } from "../../../../lib/methods/oauth/signature.js"

const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
const CLAIMS = new TextEncoder().encode('{"sub":"ada"}')

const createKeys = (alg: string): Promise<GenerateKeyPairResult> => generateKeyPair(alg, { extractable: true })

const findIn = async ({ publicKey }: GenerateKeyPairResult) =>
  createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: "one" }] })

const sign = (alg: string, { privateKey }: GenerateKeyPairResult, header = {}) =>
  new CompactSign(CLAIMS).setProtectedHeader({ alg, kid: "one", ...header }).sign(privateKey)

describe.each(ALGORITHMS)("a signature by %s", (alg) => {
  it("holds with the issuer's key", async () => {
    const keys = await createKeys(alg)
    await expect(requireSignature(await sign(alg, keys), { alg, kid: "one" }, await findIn(keys))).resolves.toBe(
      undefined,
    )
  })

  it("does not hold with another key, nor for other claims", async () => {
    const [keys, others] = [await createKeys(alg), await createKeys(alg)]
    const [token, find] = [await sign(alg, keys), await findIn(keys)]
    const [header, , signature] = token.split(".")
    const changed = [header, Buffer.from('{"sub":"eve"}').toString("base64url"), signature].join(".")
    for (const forged of [await sign(alg, others), changed])
      await expect(requireSignature(forged, { alg, kid: "one" }, find)).rejects.toThrow("signature verification failed")
  })
})

describe("a signature is refused", () => {
  it.each([
    ["with characters that are no base64url", (token: string) => `${token}!`],
    ["that is empty", (token: string) => token.slice(0, token.lastIndexOf(".") + 1)],
    ["with a fourth part", (token: string) => `${token}.x`],
  ])("%s", async (_name, spoil) => {
    const keys = await createKeys("ES256")
    const token = spoil(await sign("ES256", keys))
    await expect(requireSignature(token, { alg: "ES256", kid: "one" }, await findIn(keys))).rejects.toThrow()
  })

  it("whose header demands an extension that nobody here knows", async () => {
    const keys = await createKeys("ES256")
    const header = { crit: ["urn:example:x"], "urn:example:x": 1 }
    const token = await new CompactSign(CLAIMS)
      .setProtectedHeader({ alg: "ES256", kid: "one", ...header })
      .sign(keys.privateKey, { crit: { "urn:example:x": true } })
    const given = { alg: "ES256", kid: "one", ...header }
    await expect(requireSignature(token, given, await findIn(keys))).rejects.toThrow("is not recognized")
  })

  it("by an RSA key of fewer than 2048 bits, however right it is", async () => {
    const short = generateKeyPairSync("rsa", { modulusLength: 1024 })
    const find = createLocalJWKSet({ keys: [{ ...short.publicKey.export({ format: "jwk" }), kid: "one" }] })
    const input = `${Buffer.from('{"alg":"RS256","kid":"one"}').toString("base64url")}.e30`
    const token = `${input}.${createSign("sha256").update(input).sign(short.privateKey, "base64url")}`
    await expect(requireSignature(token, { alg: "RS256", kid: "one" }, find)).rejects.toThrow("2048 bits")
  })

  it("by an algorithm that the named key is not for", async () => {
    const keys = await createKeys("RS256")
    const token = await sign("RS256", keys)
    await expect(requireSignature(token, { alg: "ES256", kid: "one" }, await findIn(keys))).rejects.toThrow(
      "no applicable key",
    )
  })
})

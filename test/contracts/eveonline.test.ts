import { generateKeyPairSync } from "node:crypto"
import { SignJWT } from "jose"
import EVEOnline from "../../lib/providers/eveonline.js"

const vendorKeys = generateKeyPairSync("rsa", { modulusLength: 2048 })
const otherKeys = generateKeyPairSync("rsa", { modulusLength: 2048 })
const KEYS = { keys: [{ alg: "RS256", kid: "k", use: "sig", ...vendorKeys.publicKey.export({ format: "jwk" }) }] }

const CLAIMS = {
  sub: "CHARACTER:EVE:1",
  name: "Some Bloke",
  iss: "https://login.eveonline.com",
  aud: ["the-client", "EVE Online"],
}

const token = (claims: object, { privateKey } = vendorKeys, exp = "20m") =>
  new SignJWT({ ...CLAIMS, ...claims })
    .setProtectedHeader({ alg: "RS256", kid: "k" })
    .setExpirationTime(exp)
    .sign(privateKey)

const read = (access_token: string, status = 200): Promise<{ CharacterID: number }> =>
  EVEOnline({}).userinfo.request({
    tokens: { access_token },
    provider: { clientId: "the-client" },
    fetch: async () => Response.json(KEYS, { status }),
  })

describe("the access token of EVE Online", () => {
  it("identifies the character with either issuer name", async () => {
    await expect(read(await token({}))).resolves.toMatchObject({ CharacterID: 1, CharacterName: "Some Bloke" })
    await expect(read(await token({ iss: "login.eveonline.com" }))).resolves.toMatchObject({ CharacterID: 1 })
  })

  it.each<[string, () => Promise<string>]>([
    ["signed with another key", () => token({}, otherKeys)],
    ["from another issuer", () => token({ iss: "https://login.example.com" })],
    ["for another client", () => token({ aud: ["another-client", "EVE Online"] })],
    ["expired", () => token({}, vendorKeys, "-1d")],
    ["not a JWT", async () => "opaque"],
  ])("is rejected if it is %s", async (_what, create) => {
    await expect(read(await create())).rejects.toThrow()
  })

  it("is rejected if its subject is not a character", async () => {
    const provider = EVEOnline({})
    const profile = await read(await token({ sub: "CORPORATION:EVE:1" }))
    expect(() => provider.profile?.(profile as never, {})).toThrow("EVE Online: the profile has no id")
  })

  it("is rejected while the keys are unavailable", async () => {
    await expect(read(await token({}), 503)).rejects.toThrow("EVE Online: /oauth/jwks answered 503")
  })
})

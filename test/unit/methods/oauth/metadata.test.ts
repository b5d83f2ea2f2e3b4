import { answering } from "./answering.js"
import { providerOf, settingOf } from "./setting.js"

const ISSUER = "https://acme.test"
const DISCOVERY = "/.well-known/openid-configuration"
const CALLED = ["token_endpoint", "userinfo_endpoint", "jwks_uri"]
const INSIDE = ["http://127.0.0.1:6379/", "http://localhost/x", "https://[::1]:9200/", "http://app.localhost:8080"]

/** The metadata of a document that names `named`, from `issuer`. */
function discovered(named: object, provider: object = {}, issuer = ISSUER) {
  const document = { issuer, authorization_endpoint: `${ISSUER}/authorize`, ...named }
  const { provider: fetching } = answering({ [DISCOVERY]: () => Response.json(document) })
  const without = { authorization: undefined, token: undefined, userinfo: undefined }
  return providerOf(settingOf({ type: "oidc", issuer, ...without, ...fetching, ...provider })).metadata.get()
}

describe("a discovery document", () => {
  it.each(CALLED.flatMap((name) => INSIDE.map((address) => [name, address])))(
    "from elsewhere has nothing of this machine called: %s at %s",
    async (name, address) => {
      await expect(discovered({ [name]: address })).rejects.toMatchObject({
        messageCode: "provider-url-insecure",
        message: `${ISSUER}${DISCOVERY} says that its ${name} is "${address}", on this machine; set allowInsecure: true to use it all the same`,
      })
    },
  )

  it.each(INSIDE)("may name it where the application allows it, or where it comes from here: %s", async (address) => {
    const named = Object.fromEntries(CALLED.map((name) => [name, address]))
    expect(await discovered(named, { allowInsecure: true })).toMatchObject(named)
    const { origin } = new URL(address)
    expect(await discovered(named, {}, origin)).toMatchObject(named)
    expect(await discovered(named, { wellKnown: origin + DISCOVERY })).toMatchObject(named)
  })

  it("is not asked where the application has named the endpoint itself", async () => {
    const [address = ""] = INSIDE
    const named = Object.fromEntries(CALLED.map((name) => [name, address]))
    const own = { token: "http://localhost:9000/token", userinfo: "http://localhost:9000/me" }
    await expect(discovered(named, own)).rejects.toThrow("its jwks_uri is")
    expect(await discovered({ ...named, jwks_uri: `${ISSUER}/jwks` }, own)).toMatchObject({
      token_endpoint: own.token,
      userinfo_endpoint: own.userinfo,
    })
  })

  it("may send browsers to their own machine, and name other addresses", async () => {
    const named = { authorization_endpoint: "http://localhost:9000/authorize", token_endpoint: "https://tokens.test/" }
    expect(await discovered(named)).toMatchObject(named)
  })
})

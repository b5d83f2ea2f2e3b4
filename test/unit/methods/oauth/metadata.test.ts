import { fakeEndpoints } from "./fake-endpoints.js"
import { createSite, providerOf } from "./test-site.js"

const ISSUER = "https://acme.test"
const DISCOVERY = "/.well-known/openid-configuration"
const FETCHED_ENDPOINTS = ["token_endpoint", "userinfo_endpoint", "jwks_uri"]
const LOOPBACK_URLS = [
  "http://127.0.0.1:6379/",
  "http://localhost/x",
  "https://[::1]:9200/",
  "http://app.localhost:8080",
]

/** Returns the metadata of a discovery document with the endpoints `named`. */
function discover(named: object, provider: object = {}, issuer = ISSUER) {
  const document = { issuer, authorization_endpoint: `${ISSUER}/authorize`, ...named }
  const { provider: fetching } = fakeEndpoints({ [DISCOVERY]: () => Response.json(document) })
  const without = { authorization: undefined, token: undefined, userinfo: undefined }
  return providerOf(createSite({ type: "oidc", issuer, ...without, ...fetching, ...provider })).metadata.get()
}

describe("the discovery document of a provider", () => {
  it.each(FETCHED_ENDPOINTS.flatMap((name) => LOOPBACK_URLS.map((address) => [name, address])))(
    "is rejected if its %s is the loopback address %s and the issuer is remote",
    async (name, address) => {
      await expect(discover({ [name]: address })).rejects.toMatchObject({
        messageCode: "provider-url-insecure",
        message: `the ${name} in ${ISSUER}${DISCOVERY} is "${address}", a loopback address; set allowInsecure: true to allow it`,
      })
    },
  )

  it.each(LOOPBACK_URLS)(
    "may name the loopback address %s with allowInsecure, or if the issuer is on a loopback address",
    async (address) => {
      const named = Object.fromEntries(FETCHED_ENDPOINTS.map((name) => [name, address]))
      expect(await discover(named, { allowInsecure: true })).toMatchObject(named)
      const { origin } = new URL(address)
      expect(await discover(named, {}, origin)).toMatchObject(named)
      expect(await discover(named, { wellKnown: origin + DISCOVERY })).toMatchObject(named)
    },
  )

  it("is not used for an endpoint that the application configures", async () => {
    const [address = ""] = LOOPBACK_URLS
    const named = Object.fromEntries(FETCHED_ENDPOINTS.map((name) => [name, address]))
    const own = { token: "http://localhost:9000/token", userinfo: "http://localhost:9000/me" }
    await expect(discover(named, own)).rejects.toThrow("the jwks_uri in ")
    expect(await discover({ ...named, jwks_uri: `${ISSUER}/jwks` }, own)).toMatchObject({
      token_endpoint: own.token,
      userinfo_endpoint: own.userinfo,
    })
  })

  it("may name a loopback authorization_endpoint and other hosts", async () => {
    const named = { authorization_endpoint: "http://localhost:9000/authorize", token_endpoint: "https://tokens.test/" }
    expect(await discover(named)).toMatchObject(named)
  })

  describe("with mtls_endpoint_aliases", () => {
    const certificate = { client: { token_endpoint_auth_method: "tls_client_auth" } }
    const aliases = (token_endpoint: string) => ({
      token_endpoint: "https://acme.test/token",
      mtls_endpoint_aliases: {
        token_endpoint,
        issuer: "https://evil.test",
        authorization_endpoint: "https://evil.test",
      },
    })

    it.each([
      ["a client certificate", certificate],
      ["tokens that are bound to a certificate", { client: { use_mtls_endpoint_aliases: true } }],
    ])("provides the aliases of the endpoints for %s, and no other alias", async (_, options) => {
      const metadata = await discover(aliases("https://mtls.acme.test/token"), options)
      expect(metadata).toEqual({
        ...{ issuer: ISSUER, authorization_endpoint: `${ISSUER}/authorize` },
        token_endpoint: "https://mtls.acme.test/token",
      })
    })

    it("does not provide the aliases for other clients", async () => {
      const { token_endpoint, ...rest } = await discover(aliases("https://mtls.acme.test/token"))
      expect([token_endpoint, "mtls_endpoint_aliases" in rest]).toEqual(["https://acme.test/token", false])
    })

    it("is rejected if an alias is a loopback address", async () => {
      await expect(discover(aliases("http://localhost/x"), certificate)).rejects.toThrow("a loopback address")
    })
  })
})

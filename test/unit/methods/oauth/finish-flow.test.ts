import { MemoryStore } from "../../../../lib/store/memory.js"
import { createSigningKey, publicJwk, type SigningKey, signIdToken } from "../../../support/faulty-provider/signing.js"
import { failureOf, fakeEndpoints, finish, signIn, siteWith, TOKENS } from "./fake-endpoints.js"
import { createSite, NOW, startFlow } from "./test-site.js"

const ISSUER = "https://acme.test"
const withScope = (scope: string) => ({ authorization: { url: `${ISSUER}/authorize`, params: { scope } } })

describe("finishOAuth after a request for access", () => {
  const access = { scope: "files", accountId: "7" }

  it("accepts the account that was requested", async () => {
    expect((await signIn(siteWith(), {}, { access })).account.providerAccountId).toBe("7")
  })

  it("refuses an account that is not the connected one", async () => {
    const me = () => Response.json({ sub: "8", name: "Eve" })
    expect(await failureOf(signIn(siteWith({ "/me": me }), {}, { access }))).toMatchObject({
      type: "OAuthAccountNotLinked",
      messageCode: "account-not-linked",
      message: "the user granted access with another account than the one that is connected",
      cause: { provider: "acme" },
    })
    // A sign-in is not limited to an account.
    expect((await signIn(siteWith({ "/me": me }))).account.providerAccountId).toBe("8")
  })
})

describe("the requestedScope of finishOAuth", () => {
  it("is the scope of the configuration", async () => {
    expect((await signIn(siteWith({}, withScope("openid mail")))).requestedScope).toBe("openid mail")
  })

  it("is the scope of the flow if that differs", async () => {
    const site = siteWith({}, { ...withScope("mail"), allowScopeOverride: true })
    expect((await signIn(site, {}, { query: { scope: "files" } })).requestedScope).toBe("files")
    expect((await signIn(site, {}, { access: { scope: "files", accountId: "7" } })).requestedScope).toBe("mail files")
  })

  it("is missing if no scope was requested", async () => {
    expect(await signIn(siteWith({}, withScope("")))).not.toHaveProperty("requestedScope")
  })
})

describe("the dpopKey of finishOAuth", () => {
  const publicPart = (key: object = {}) => ({ ...key, d: undefined })

  it("is the key that has signed the proofs of the requests", async () => {
    const bound = { ...TOKENS, token_type: "DPoP" }
    const { provider, requests } = fakeEndpoints({ "/token": () => Response.json(bound) })
    const { dpopKey } = await signIn(createSite({ ...provider, dpop: true }, { store: MemoryStore() }))
    expect(dpopKey).toMatchObject({ kty: "EC", crv: "P-256", d: expect.stringMatching(/^[\w-]{43}$/) })
    expect(requests.map(({ url }) => url)).toEqual([`${ISSUER}/token`, `${ISSUER}/me`])
    for (const { headers } of requests) {
      const [header = ""] = (headers.get("dpop") ?? "").split(".")
      const { jwk } = JSON.parse(Buffer.from(header, "base64url").toString())
      expect(jwk).toEqual(publicPart(dpopKey))
    }
  })

  it("is missing if tokens are not bound to a key", async () => {
    expect(await signIn(siteWith())).not.toHaveProperty("dpopKey")
  })
})

describe("finishOAuth after a reauthentication with acr_values", () => {
  let key: SigningKey
  beforeAll(async () => {
    key = await createSigningKey("ES256")
  })

  /** Starts a flow at a provider that authenticates the user with this `acr`, and finishes it. */
  async function authenticate(acr: string | undefined, acr_values = "", { form = {}, provider = {} } = {}) {
    let nonce = ""
    const sign = () => {
      const times = { iat: NOW / 1000, exp: NOW / 1000 + 60 }
      const claims = { iss: ISSUER, aud: "our-client", sub: "7", nonce, ...times, ...(acr !== undefined && { acr }) }
      const material = { rsa: key, ec: key, unpublished: async () => key, clientSecret: "" }
      return signIdToken(claims, { key, kid: key.kid }, material)
    }
    const { provider: endpoints } = fakeEndpoints({
      "/.well-known/openid-configuration": () =>
        Response.json({
          issuer: ISSUER,
          jwks_uri: `${ISSUER}/jwks`,
          id_token_signing_alg_values_supported: ["ES256"],
        }),
      "/jwks": () => Response.json({ keys: [publicJwk(key)] }),
      "/token": async () => Response.json({ ...TOKENS, id_token: await sign() }),
    })
    const options = { type: "oidc", issuer: ISSUER, idToken: true, trustAuthenticationContext: true } as const
    const site = createSite({ ...endpoints, ...options, ...provider })
    const { url, state, cookies } = await startFlow(site, { form, query: acr_values ? { acr_values } : {} })
    nonce = url.searchParams.get("nonce") ?? ""
    return finish(site, { cookies, query: { code: "c", state } })
  }
  const form = { reauthenticate: "true" }
  const refusal = {
    type: "OAuthCallbackError",
    messageCode: "authentication-context-missing",
    cause: {
      provider: "acme",
      err: {
        name: "Error",
        message: "the id_token's acr is not one of the requested values, or trustAuthenticationContext is not set",
      },
    },
  }

  it.each(["phr", "phrh"])("accepts the acr %s, which is one of the requested values", async (acr) => {
    expect((await authenticate(acr, "phr phrh", { form })).authentication).toMatchObject({ acr })
  })

  it("refuses a missing acr, even if the requested values end with a space", async () => {
    expect(await failureOf(authenticate(undefined, "phr ", { form }))).toMatchObject(refusal)
  })

  it.each(["pwd", "ph", "phr phrh", "", undefined])("refuses the acr %j, which was not requested", async (acr) => {
    expect(await failureOf(authenticate(acr, "phr phrh", { form }))).toMatchObject(refusal)
  })

  it("refuses the acr of a provider without trustAuthenticationContext", async () => {
    const provider = { trustAuthenticationContext: false }
    expect(await failureOf(authenticate("phr", "phr", { form, provider }))).toMatchObject(refusal)
  })

  it("accepts any acr in a sign-in, because acr_values are only a hint there", async () => {
    expect((await authenticate("pwd", "phr")).authentication).toMatchObject({ acr: "pwd" })
  })

  it.each([true, false])(
    "accepts any acr if only the provider's options request one, and trust is %j",
    async (trust) => {
      const provider = { acrValues: ["phr"], trustAuthenticationContext: trust }
      const { authentication } = await authenticate("pwd", "", { form, provider })
      expect(authentication?.acr).toBe(trust ? "pwd" : undefined)
    },
  )

  it("accepts a reauthentication without acr_values", async () => {
    expect((await signIn(siteWith(), {}, { form })).account.providerAccountId).toBe("7")
  })
})

import type { OAuthConfig, ProviderContext } from "../../lib/provider-kit/provider.js"
import AzureAD from "../../lib/providers/azure-ad.js"
import MicrosoftEntraID from "../../lib/providers/microsoft-entra-id.js"
import { createSite, providerOf } from "../unit/methods/oauth/test-site.js"
import { entra } from "./support/samples.js"

const A = "72f988bf-86f1-41af-91ab-2d7cd011db47"
const B = "f8cdef31-a31e-4b4a-93e4-5f571e91255a"
const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad"

const issuerAt = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`
const PLACEHOLDER = issuerAt("{tenantid}")

function build(tenants?: readonly string[]) {
  const provider = MicrosoftEntraID({ tenants })
  const { conformMetadata, issuerOf } = provider
  if (!conformMetadata || !issuerOf) throw new Error("the provider has no rules for tenants")
  /** The issuer in the metadata after its correction. */
  const discover = (configured: string, published: unknown) =>
    conformMetadata({ issuer: published }, new URL(configured))["issuer"]
  return { conformMetadata, issuerOf, discover }
}

describe("the issuer in Microsoft's metadata", () => {
  it.each([
    ["common", PLACEHOLDER],
    ["organizations", PLACEHOLDER],
    ["consumers", issuerAt(CONSUMERS)],
    [A, issuerAt(A)],
    [A.toUpperCase(), issuerAt(A)],
    ["contoso.onmicrosoft.com", issuerAt(B)],
  ])("for %s becomes the configured one", (tenant, published) => {
    expect(build().discover(issuerAt(tenant), published)).toBe(issuerAt(tenant))
  })

  it.each(["common", "consumers", A, "contoso.onmicrosoft.com"])(
    "for %s may be configured with a trailing slash",
    (tenant) => {
      const published = { common: PLACEHOLDER, consumers: issuerAt(CONSUMERS), [A]: issuerAt(A) }[tenant] ?? issuerAt(B)
      expect(build().discover(`${issuerAt(tenant)}/`, published)).toBe(`${issuerAt(tenant)}/`)
    },
  )

  it.each([
    ["another origin", issuerAt("common"), "https://login.example.com/{tenantid}/v2.0"],
    ["plain http", issuerAt("common"), "http://login.microsoftonline.com/{tenantid}/v2.0"],
    ["one tenant instead of all", issuerAt("common"), issuerAt(A)],
    ["one tenant instead of all organisations", issuerAt("organizations"), issuerAt(A)],
    ["another tenant", issuerAt(A), issuerAt(B)],
    ["a tenant instead of personal accounts", issuerAt("consumers"), issuerAt(A)],
    ["another domain", issuerAt("contoso.com"), issuerAt("fabrikam.com")],
    ["another version", issuerAt(A), `https://sts.windows.net/${A}/`],
    ["not text", issuerAt(A), 7],
    ["missing", issuerAt(A), undefined],
  ])("is unchanged, and thus rejected, if it is %s", (_, configured, published) => {
    expect(build().discover(configured, published)).toBe(published)
  })

  it("is the only change, made in a copy", () => {
    const metadata = Object.freeze({ issuer: PLACEHOLDER, jwks_uri: "https://login.microsoftonline.com/keys" })
    const repaired = build().conformMetadata(metadata, new URL(issuerAt("common")))
    expect(repaired).toEqual({ issuer: issuerAt("common"), jwks_uri: metadata.jwks_uri })
  })
})

describe("the required issuer of an id_token", () => {
  const any = undefined
  it.each<[string, string, unknown, readonly string[] | undefined, string | undefined]>([
    ["common accepts every tenant", "common", A, any, A],
    ["common accepts personal accounts", "common", CONSUMERS, any, CONSUMERS],
    ["common accepts listed tenants", "common", A, [B, A], A],
    ["the list is case-insensitive", "common", A, [A.toUpperCase()], A],
    ["common rejects unlisted tenants", "common", B, [A], undefined],
    ["common rejects unlisted personal accounts", "common", CONSUMERS, [A], undefined],
    ["an empty list rejects all", "common", A, [], undefined],
    ["a tid that is not a GUID is rejected", "common", "contoso.com", any, undefined],
    ["a tid with a path is rejected", "common", `${A}/../${B}`, any, undefined],
    ["a tid with a line break is rejected", "common", `${A}\n`, any, undefined],
    ["a tid that is not text is rejected", "common", [A], any, undefined],
    ["a missing tid is rejected", "common", undefined, any, undefined],
    ["organizations accepts every organisation", "organizations", A, any, A],
    ["organizations rejects unlisted tenants", "organizations", B, [A], undefined],
    ["organizations rejects personal accounts", "organizations", CONSUMERS, any, undefined],
    ["organizations rejects personal accounts even if listed", "organizations", CONSUMERS, [CONSUMERS], undefined],
    ["consumers accepts personal accounts", "consumers", CONSUMERS, any, CONSUMERS],
    ["consumers rejects every tenant", "consumers", A, any, undefined],
    ["consumers uses its own tenant without a tid", "consumers", undefined, any, CONSUMERS],
    ["a tenant accepts its own id", A, A, any, A],
    ["a tenant is case-insensitive", A.toUpperCase(), A, any, A],
    ["a tenant accepts a token without tid", A, undefined, any, A],
    ["a tenant rejects another one", A, B, any, undefined],
    ["a tenant rejects another listed one", A, B, [A, B], undefined],
    ["an unlisted tenant is rejected", A, A, [B], undefined],
    ["a domain is rejected before its metadata was read", "contoso.com", A, any, undefined],
  ])("%s", (_, configured, tid, tenants, expected) => {
    const issuer = build(tenants).issuerOf({ tid }, issuerAt(configured))
    expect(issuer).toBe(expected && issuerAt(expected))
  })

  it("for a domain is the tenant that its metadata names", () => {
    const { discover, issuerOf } = build()
    discover(issuerAt("contoso.com"), issuerAt(B))
    expect(issuerOf({ tid: B }, issuerAt("contoso.com"))).toBe(issuerAt(B))
    expect(issuerOf({ tid: A }, issuerAt("contoso.com"))).toBeUndefined()
    expect(issuerOf({ tid: B }, issuerAt("fabrikam.com"))).toBeUndefined()
  })

  it("for a domain is known only to the provider instance that read the metadata", () => {
    build().discover(issuerAt("contoso.com"), issuerAt(B))
    expect(build().issuerOf({ tid: B }, issuerAt("contoso.com"))).toBeUndefined()
  })

  it("has no trailing slash in any configuration", () => {
    expect(build().issuerOf({ tid: A }, `${issuerAt("common")}/`)).toBe(issuerAt(A))
    expect(build().issuerOf({ tid: A }, `${issuerAt(A)}/`)).toBe(issuerAt(A))
  })

  it("of version 1.0 is unchanged and respects the list", () => {
    const old = `https://sts.windows.net/${A}/`
    expect(build().issuerOf({ tid: A }, old)).toBe(old)
    expect(build([A]).issuerOf({ tid: A }, old)).toBe(old)
    expect(build([B]).issuerOf({ tid: A }, old)).toBeUndefined()
    expect(build([B]).issuerOf({}, old)).toBeUndefined()
  })
})

describe("the configured issuer", () => {
  const NAME = "AUTH_MICROSOFT_ENTRA_ID_ISSUER"
  afterEach(() => {
    delete process.env[NAME]
  })

  it("comes from the environment and is never widened to all tenants", () => {
    process.env[NAME] = issuerAt(A)
    expect(MicrosoftEntraID({}).issuer).toBe(issuerAt(A))
  })

  it("comes from the default id's variable if a custom id has none", () => {
    process.env[NAME] = issuerAt(A)
    expect(MicrosoftEntraID({ id: "partners" }).issuer).toBe(issuerAt(A))
  })

  it("accepts every tenant if the variable is empty", () => {
    process.env[NAME] = ""
    expect(MicrosoftEntraID({}).issuer).toBe(issuerAt("common"))
  })

  it("comes from the option rather than from the variable", () => {
    process.env[NAME] = issuerAt(A)
    expect(MicrosoftEntraID({ issuer: issuerAt(B) }).options?.issuer).toBe(issuerAt(B))
  })
})

describe("email verification", () => {
  it.each([MicrosoftEntraID, AzureAD])(
    "is false regardless of claims that a tenant adds, unless the application overrides it",
    (factory) => {
      const isVerified = (options: Parameters<typeof factory>[0]) => {
        // The helpers take providers with the general type of profile.
        const provider = factory(options) as OAuthConfig
        return providerOf(createSite(provider), provider.id).isEmailVerified({ ...entra, email_verified: true })
      }
      expect(isVerified({})).toBe(false)
      expect(isVerified({ isEmailVerified: () => true })).toBe(true)
    },
  )
})

describe("the profile photo", () => {
  type Options = Parameters<typeof MicrosoftEntraID>[0]
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10])

  /** Maps a profile with this response of Graph, and returns the user and the requests. */
  async function signIn(answer: typeof fetch, options: Options = {}, tokens = { access_token: "at" }) {
    const requests: { url: string; authorization: unknown }[] = []
    const context: ProviderContext = {
      tokens,
      provider: {},
      fetch: (input, init) => {
        requests.push({ url: String(input), authorization: new Headers(init?.headers).get("authorization") })
        return answer(input, init)
      },
    }
    return { user: await MicrosoftEntraID(options).profile?.(entra, tokens, context), requests }
  }
  const photo: typeof fetch = async () => new Response(jpeg, { headers: { "content-type": "image/jpeg" } })

  it("is fetched from Graph with the access token, and becomes a data URL", async () => {
    const { user, requests } = await signIn(photo)
    expect(user?.image).toBe(`data:image/jpeg;base64,${jpeg.toString("base64")}`)
    expect(requests).toEqual([
      { url: "https://graph.microsoft.com/v1.0/me/photos/48x48/$value", authorization: "Bearer at" },
    ])
  })

  it.each([64, 648] as const)("has the configured size: %d", async (profilePhotoSize) => {
    const { requests } = await signIn(photo, { profilePhotoSize })
    expect(requests[0]?.url).toContain(`/photos/${profilePhotoSize}x${profilePhotoSize}/`)
  })

  it("is not fetched if it is disabled", async () => {
    const { user, requests } = await signIn(photo, { profilePhotoSize: false })
    expect(user).toMatchObject({ id: entra.sub, image: null })
    expect(requests).toEqual([])
  })

  it("is not fetched without an access token", async () => {
    const { user, requests } = await signIn(photo, {}, {} as { access_token: string })
    expect(user?.image).toBeNull()
    expect(requests).toEqual([])
  })

  it.each<[string, typeof fetch]>([
    ["it does not exist", async () => new Response("{}", { status: 404 })],
    ["Graph is down", async () => new Response("", { status: 503 })],
    ["the network is down", () => Promise.reject(new TypeError("fetch failed"))],
    [
      "the application's fetch throws",
      () => {
        throw new Error("no proxy")
      },
    ],
  ])("is null if %s, and the sign-in continues", async (_, answer) => {
    expect((await signIn(answer)).user).toMatchObject({ id: entra.sub, name: "Abe Lincoln", image: null })
  })

  it("times out after two seconds, even if fetch cannot be aborted", async () => {
    const began = Date.now()
    const { user } = await signIn(() => new Promise<Response>(() => {}))
    expect(user?.image).toBeNull()
    expect(Date.now() - began).toBeGreaterThanOrEqual(1_900)
    expect(Date.now() - began).toBeLessThan(4_000)
  })

  it("times out if its body never ends", async () => {
    const endless: typeof fetch = async () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))
    expect((await signIn(endless)).user?.image).toBeNull()
  })
})

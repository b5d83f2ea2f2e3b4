import AzureAD from "../../lib/providers/azure-ad.js"
import MicrosoftEntraID from "../../lib/providers/microsoft-entra-id.js"
import type { OAuthConfig, ProviderContext } from "../../lib/providers/provider.js"
import { providerOf, settingOf } from "../unit/methods/oauth/setting.js"
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
  /** The issuer that the mended metadata has. */
  const discover = (configured: string, said: unknown) =>
    conformMetadata({ issuer: said }, new URL(configured))["issuer"]
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
  ])("of %s becomes the configured one", (tenant, said) => {
    expect(build().discover(issuerAt(tenant), said)).toBe(issuerAt(tenant))
  })

  it.each(["common", "consumers", A, "contoso.onmicrosoft.com"])("of %s may be configured with a slash", (tenant) => {
    const said = { common: PLACEHOLDER, consumers: issuerAt(CONSUMERS), [A]: issuerAt(A) }[tenant] ?? issuerAt(B)
    expect(build().discover(`${issuerAt(tenant)}/`, said)).toBe(`${issuerAt(tenant)}/`)
  })

  it.each([
    ["another origin", issuerAt("common"), "https://login.example.com/{tenantid}/v2.0"],
    ["plain http", issuerAt("common"), "http://login.microsoftonline.com/{tenantid}/v2.0"],
    ["one tenant where all were asked for", issuerAt("common"), issuerAt(A)],
    ["one tenant where all organisations were asked for", issuerAt("organizations"), issuerAt(A)],
    ["another tenant", issuerAt(A), issuerAt(B)],
    ["a tenant where personal accounts were asked for", issuerAt("consumers"), issuerAt(A)],
    ["another domain", issuerAt("contoso.com"), issuerAt("fabrikam.com")],
    ["another version", issuerAt(A), `https://sts.windows.net/${A}/`],
    ["no text", issuerAt(A), 7],
    ["nothing", issuerAt(A), undefined],
  ])("stays as it is, to be refused, when it is %s", (_, configured, said) => {
    expect(build().discover(configured, said)).toBe(said)
  })

  it("is all that changes, in a copy", () => {
    const metadata = Object.freeze({ issuer: PLACEHOLDER, jwks_uri: "https://login.microsoftonline.com/keys" })
    const mended = build().conformMetadata(metadata, new URL(issuerAt("common")))
    expect(mended).toEqual({ issuer: issuerAt("common"), jwks_uri: metadata.jwks_uri })
  })
})

describe("the issuer that an id_token must have", () => {
  const any = undefined
  it.each<[string, string, unknown, readonly string[] | undefined, string | undefined]>([
    ["common takes every tenant", "common", A, any, A],
    ["common takes personal accounts", "common", CONSUMERS, any, CONSUMERS],
    ["common takes the tenants listed", "common", A, [B, A], A],
    ["the list may be written in capitals", "common", A, [A.toUpperCase()], A],
    ["common refuses others", "common", B, [A], undefined],
    ["common refuses personal accounts that are not listed", "common", CONSUMERS, [A], undefined],
    ["an empty list lets nobody in", "common", A, [], undefined],
    ["a tid that is no GUID", "common", "contoso.com", any, undefined],
    ["a tid that leads elsewhere", "common", `${A}/../${B}`, any, undefined],
    ["a tid with a line break", "common", `${A}\n`, any, undefined],
    ["a tid that is no text", "common", [A], any, undefined],
    ["no tid", "common", undefined, any, undefined],
    ["organizations takes every organisation", "organizations", A, any, A],
    ["organizations takes the tenants listed", "organizations", B, [A], undefined],
    ["organizations refuses personal accounts", "organizations", CONSUMERS, any, undefined],
    ["organizations refuses them when listed, too", "organizations", CONSUMERS, [CONSUMERS], undefined],
    ["consumers takes personal accounts", "consumers", CONSUMERS, any, CONSUMERS],
    ["consumers refuses every tenant", "consumers", A, any, undefined],
    ["consumers is its own tenant whatever the token says", "consumers", undefined, any, CONSUMERS],
    ["a tenant takes its own", A, A, any, A],
    ["a tenant takes its own in capitals", A.toUpperCase(), A, any, A],
    ["a tenant takes a token that does not repeat it", A, undefined, any, A],
    ["a tenant refuses another", A, B, any, undefined],
    ["a tenant refuses another that is listed", A, B, [A, B], undefined],
    ["a tenant that is not listed", A, A, [B], undefined],
    ["a domain whose metadata was not read", "contoso.com", A, any, undefined],
  ])("%s", (_, configured, tid, tenants, expected) => {
    const issuer = build(tenants).issuerOf({ tid }, issuerAt(configured))
    expect(issuer).toBe(expected && issuerAt(expected))
  })

  it("of a domain is the tenant that its metadata named", () => {
    const { discover, issuerOf } = build()
    discover(issuerAt("contoso.com"), issuerAt(B))
    expect(issuerOf({ tid: B }, issuerAt("contoso.com"))).toBe(issuerAt(B))
    expect(issuerOf({ tid: A }, issuerAt("contoso.com"))).toBeUndefined()
    expect(issuerOf({ tid: B }, issuerAt("fabrikam.com"))).toBeUndefined()
  })

  it("of a domain is known to the provider that read it, and to no other", () => {
    build().discover(issuerAt("contoso.com"), issuerAt(B))
    expect(build().issuerOf({ tid: B }, issuerAt("contoso.com"))).toBeUndefined()
  })

  it("has no slash at its end, however it is configured", () => {
    expect(build().issuerOf({ tid: A }, `${issuerAt("common")}/`)).toBe(issuerAt(A))
    expect(build().issuerOf({ tid: A }, `${issuerAt(A)}/`)).toBe(issuerAt(A))
  })

  it("of version 1.0 stays as it is, and keeps to the list", () => {
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

  it("comes from the environment: a tenant of one's own is never widened to all", () => {
    process.env[NAME] = issuerAt(A)
    expect(MicrosoftEntraID({}).issuer).toBe(issuerAt(A))
  })

  it("stays that of the usual id where an id of one's own has no variable", () => {
    process.env[NAME] = issuerAt(A)
    expect(MicrosoftEntraID({ id: "partners" }).issuer).toBe(issuerAt(A))
  })

  it("is every tenant when the variable is empty", () => {
    process.env[NAME] = ""
    expect(MicrosoftEntraID({}).issuer).toBe(issuerAt("common"))
  })

  it("is the option's, at the merge", () => {
    process.env[NAME] = issuerAt(A)
    expect(MicrosoftEntraID({ issuer: issuerAt(B) }).options?.issuer).toBe(issuerAt(B))
  })
})

describe("an address", () => {
  it.each([MicrosoftEntraID, AzureAD])("is not proved, whatever claims a tenant maps", (factory) => {
    const says = (options: Parameters<typeof factory>[0]) => {
      // A vendor's profile has more than any.
      const provider = factory(options) as OAuthConfig
      return providerOf(settingOf(provider), provider.id).isEmailVerified({ ...entra, email_verified: true })
    }
    expect(says({})).toBe(false)
    expect(says({ isEmailVerified: () => true })).toBe(true)
  })
})

describe("the photo", () => {
  type Size = Parameters<typeof MicrosoftEntraID>[0]
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10])

  /** The user, with Graph answering as told, and what it was asked. */
  async function signIn(answer: typeof fetch, options: Size = {}, tokens = { access_token: "at" }) {
    const asked: { url: string; authorization: unknown }[] = []
    const context: ProviderContext = {
      tokens,
      provider: {},
      fetch: (input, init) => {
        asked.push({ url: String(input), authorization: new Headers(init?.headers).get("authorization") })
        return answer(input, init)
      },
    }
    return { user: await MicrosoftEntraID(options).profile?.(entra, tokens, context), asked }
  }
  const photo: typeof fetch = async () => new Response(jpeg, { headers: { "content-type": "image/jpeg" } })

  it("is asked of Graph with the access token, and becomes a data URL", async () => {
    const { user, asked } = await signIn(photo)
    expect(user?.image).toBe(`data:image/jpeg;base64,${jpeg.toString("base64")}`)
    expect(asked).toEqual([
      { url: "https://graph.microsoft.com/v1.0/me/photos/48x48/$value", authorization: "Bearer at" },
    ])
  })

  it.each([64, 648] as const)("has the size that was asked for: %d", async (profilePhotoSize) => {
    const { asked } = await signIn(photo, { profilePhotoSize })
    expect(asked[0]?.url).toContain(`/photos/${profilePhotoSize}x${profilePhotoSize}/`)
  })

  it("is not asked for when it is turned off", async () => {
    const { user, asked } = await signIn(photo, { profilePhotoSize: false })
    expect(user).toMatchObject({ id: entra.sub, image: null })
    expect(asked).toEqual([])
  })

  it("is not asked for without an access token", async () => {
    const { user, asked } = await signIn(photo, {}, {} as { access_token: string })
    expect(user?.image).toBeNull()
    expect(asked).toEqual([])
  })

  it.each<[string, typeof fetch]>([
    ["there is none", async () => new Response("{}", { status: 404 })],
    ["Graph is down", async () => new Response("", { status: 503 })],
    ["the network is down", () => Promise.reject(new TypeError("fetch failed"))],
    [
      "a fetch of the application's throws at once",
      () => {
        throw new Error("no proxy")
      },
    ],
  ])("is null when %s: the sign-in goes on", async (_, answer) => {
    expect((await signIn(answer)).user).toMatchObject({ id: entra.sub, name: "Abe Lincoln", image: null })
  })

  it("is not waited for longer than two seconds, even by a fetch that can't be stopped", async () => {
    const began = Date.now()
    const { user } = await signIn(() => new Promise<Response>(() => {}))
    expect(user?.image).toBeNull()
    expect(Date.now() - began).toBeGreaterThanOrEqual(1_900)
    expect(Date.now() - began).toBeLessThan(4_000)
  })

  it("is not waited for when its body never ends", async () => {
    const endless: typeof fetch = async () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))
    expect((await signIn(endless)).user?.image).toBeNull()
  })
})

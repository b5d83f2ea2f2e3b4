import type { OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import { customFetch } from "../../../../lib/symbols.js"
import { failureOf } from "./fake-endpoints.js"
import { createSite, providerOf } from "./test-site.js"

const OIDC = { type: "oidc", issuer: "https://acme.test", authorization: undefined } as const
const HOUR_MS = 3_600_000

const respondWith =
  (text: string): typeof fetch =>
  async () =>
    new Response(text)
const NEVER = new AbortController().signal

async function fetchedText(provider: object): Promise<string> {
  const ready = providerOf(createSite(provider as Partial<OAuthConfig>))
  return (await ready.fetchFor(NEVER)("https://acme.test/")).text()
}

describe("fetchFor of a prepared provider", () => {
  it("uses customFetch of the options, or of the provider", async () => {
    expect(await fetchedText({ [customFetch]: respondWith("its own") })).toBe("its own")
    expect(await fetchedText({ options: { [customFetch]: respondWith("its options'") } })).toBe("its options'")
    expect(
      await fetchedText({
        [customFetch]: respondWith("its own"),
        options: { [customFetch]: respondWith("its options'") },
      }),
    ).toBe("its options'")
  })

  it("uses the current global fetch if the provider has no customFetch", async () => {
    const { fetchFor } = providerOf(createSite())
    const replaced = jest
      .spyOn(globalThis, "fetch")
      .mockImplementation(async (input, init) => Response.json([String(input), init?.method]))
    try {
      const response = await fetchFor(NEVER)("https://acme.test/x", { method: "POST" })
      expect(await response.json()).toEqual(["https://acme.test/x", "POST"])
    } finally {
      replaced.mockRestore()
    }
  })

  it("rejects when the deadline has passed", async () => {
    const provider = { [customFetch]: () => new Promise<Response>(() => {}) }
    const ready = providerOf(createSite(provider))
    const error = await failureOf(ready.fetchFor(AbortSignal.timeout(1))("https://acme.test/"))
    expect(error).toMatchObject({ messageCode: "provider-unreachable" })
  })
})

describe("metadata of a prepared provider", () => {
  function discovering() {
    const state = { count: 0, isDown: false }
    const own: typeof fetch = async () => {
      state.count++
      const metadata = { issuer: OIDC.issuer, authorization_endpoint: `https://acme.test/${state.count}` }
      return state.isDown ? new Response(null, { status: 503 }) : Response.json(metadata)
    }
    const site = createSite({ ...OIDC, token: undefined, userinfo: undefined, [customFetch]: own })
    const get = async () => (await providerOf(site).metadata.get()).authorization_endpoint
    return { state, site, get }
  }

  it("is fetched once an hour", async () => {
    const { site, get } = discovering()
    expect([await get(), await get()]).toEqual(["https://acme.test/1", "https://acme.test/1"])
    site.time.now += HOUR_MS - 1
    expect(await get()).toBe("https://acme.test/1")
    site.time.now += 1
    expect(await get()).toBe("https://acme.test/2")
  })

  it("is fetched again a second after a failure", async () => {
    const { state, site, get } = discovering()
    state.isDown = true
    expect(await failureOf(get())).toMatchObject({ messageCode: "provider-unreachable" })
    state.isDown = false
    site.time.now += 999
    expect(await failureOf(get())).toMatchObject({ messageCode: "provider-unreachable" })
    site.time.now += 1
    expect([await get(), state.count]).toEqual(["https://acme.test/2", 2])
  })
})

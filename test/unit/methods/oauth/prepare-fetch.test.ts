import type { OAuthConfig } from "../../../../lib/providers/provider.js"
import { customFetch } from "../../../../lib/symbols.js"
import { failureOf } from "./answering.js"
import { providerOf, settingOf } from "./setting.js"

const OIDC = { type: "oidc", issuer: "https://acme.test", authorization: undefined } as const
const HOUR_MS = 3_600_000

const answering =
  (text: string): typeof fetch =>
  async () =>
    new Response(text)
const NEVER = new AbortController().signal

async function asked(provider: object): Promise<string> {
  const ready = providerOf(settingOf(provider as Partial<OAuthConfig>))
  return (await ready.fetchFor(NEVER)("https://acme.test/")).text()
}

describe("the fetch of a provider", () => {
  it("is its options' own, or its own", async () => {
    expect(await asked({ [customFetch]: answering("its own") })).toBe("its own")
    expect(await asked({ options: { [customFetch]: answering("its options'") } })).toBe("its options'")
    expect(
      await asked({ [customFetch]: answering("its own"), options: { [customFetch]: answering("its options'") } }),
    ).toBe("its options'")
  })

  it("is the global one of the moment, where it has none", async () => {
    const { fetchFor } = providerOf(settingOf())
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

  it("ends by the deadline", async () => {
    const provider = { [customFetch]: () => new Promise<Response>(() => {}) }
    const ready = providerOf(settingOf(provider))
    const error = await failureOf(ready.fetchFor(AbortSignal.timeout(1))("https://acme.test/"))
    expect(error).toMatchObject({ messageCode: "provider-unreachable" })
  })
})

describe("what a provider says of itself", () => {
  function discovering() {
    const state = { count: 0, isDown: false }
    const own: typeof fetch = async () => {
      state.count++
      const metadata = { issuer: OIDC.issuer, authorization_endpoint: `https://acme.test/${state.count}` }
      return state.isDown ? new Response(null, { status: 503 }) : Response.json(metadata)
    }
    const setting = settingOf({ ...OIDC, token: undefined, userinfo: undefined, [customFetch]: own })
    const get = async () => (await providerOf(setting).metadata.get()).authorization_endpoint
    return { state, setting, get }
  }

  it("is asked for once in an hour", async () => {
    const { setting, get } = discovering()
    expect([await get(), await get()]).toEqual(["https://acme.test/1", "https://acme.test/1"])
    setting.time.now += HOUR_MS - 1
    expect(await get()).toBe("https://acme.test/1")
    setting.time.now += 1
    expect(await get()).toBe("https://acme.test/2")
  })

  it("is asked for again a second after it failed", async () => {
    const { state, setting, get } = discovering()
    state.isDown = true
    expect(await failureOf(get())).toMatchObject({ messageCode: "provider-unreachable" })
    state.isDown = false
    setting.time.now += 999
    expect(await failureOf(get())).toMatchObject({ messageCode: "provider-unreachable" })
    setting.time.now += 1
    expect([await get(), state.count]).toEqual(["https://acme.test/2", 2])
  })
})

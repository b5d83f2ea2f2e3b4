/** `getAuthorizedFetch` and `req.authorizedFetch()`: a fetch that adds the token, and renews it if the API rejects it. */
import { guardProcess } from "../support/guard.js"
import { createTokenSite, type ProviderCall } from "./token-site.js"

guardProcess()

const API = "https://api.test/items"
const MINUTE_MS = 60_000

describe("a fetch with a token", () => {
  /** A site whose API answers with `respond`, a minute after the sign-in. */
  async function open(respond: (call: ProviderCall) => Response) {
    const site = createTokenSite({ respond: (call) => (call.path === "/token" ? undefined : respond(call)) })
    const worker = site.start()
    await worker.signIn()
    site.time.now += MINUTE_MS
    const sent = () => site.calls.filter(({ path }) => path !== "/token")
    return { ...site, worker, call: worker.fetch(), sent }
  }
  const acceptOnly =
    (token: string) =>
    ({ authorization }: ProviderCall) =>
      new Response("", { status: authorization === `Bearer ${token}` ? 200 : 401 })

  const body = () => new Blob(["the body"]).stream()
  it.each<[string, RequestInit & { duplex?: "half" }, string]>([
    ["GET", {}, ""],
    ["POST with text", { method: "POST", body: "the body" }, "the body"],
    ["POST with a stream", { method: "POST", body: body(), duplex: "half" }, "the body"],
  ])("renews the token once and sends %s once more if the API answers with 401", async (_, init, text) => {
    const { call, sent, usedRefreshTokens } = await open(acceptOnly("at2"))
    expect((await call(API, init)).status).toBe(200)
    expect(usedRefreshTokens()).toEqual(["rt1"])
    expect(sent()).toMatchObject([
      { authorization: "Bearer at1", body: text },
      { authorization: "Bearer at2", body: text },
    ])
  })

  it("returns a second 401", async () => {
    const { call, sent, usedRefreshTokens } = await open(acceptOnly("no token"))
    expect((await call(API)).status).toBe(401)
    expect([sent().length, usedRefreshTokens().length]).toEqual([2, 1])
  })

  it("does not renew a token that is younger than 30 seconds, because the API would reject the next token too", async () => {
    const { call, sent, time, usedRefreshTokens } = await open(acceptOnly("no token"))
    for (let i = 0; i < 10; i++) expect((await call(API)).status).toBe(401)
    expect([sent().length, usedRefreshTokens().length]).toEqual([11, 1])
    time.now += 31_000
    await call(API)
    expect(usedRefreshTokens()).toEqual(["rt1", "rt2"])
  })

  it("returns a redirect to another origin, and does not follow it", async () => {
    const location = "https://evil.test/"
    const { call, sent } = await open(() => new Response(null, { status: 302, headers: { location } }))
    const response = await call(API)
    expect([response.status, response.headers.get("location")]).toEqual([302, location])
    expect(sent().map(({ path }) => path)).toEqual(["/items"])
  })

  it.each(["https://api.test.evil.test/", "https://api.test@evil.test/", "http://api.test/", "https://api.test:444/"])(
    "sends no token to %s",
    async (url) => {
      const { call, calls } = await open(() => new Response())
      await expect(call(url)).rejects.toMatchObject({ name: "TypeError" })
      expect(calls).toEqual([])
    },
  )

  it.each(["not a URL", "https://"])("returns a rejected promise for %j instead of throwing", async (url) => {
    const { call } = await open(() => new Response())
    const result = call(url)
    await expect(result).rejects.toMatchObject({ name: "TypeError" })
  })
})

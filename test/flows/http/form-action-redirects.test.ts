import { describeServers, type RunningApp, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { decodeEntities } from "../../support/html.js"

const OTHER_ORIGIN = "https://id.example"
const provider = {
  id: "acme",
  name: "Acme",
  type: "oauth" as const,
  clientId: "an-id",
  clientSecret: "a-secret",
  authorization: `${OTHER_ORIGIN}/authorize?a=1&lt=2'"`,
  token: `${OTHER_ORIGIN}/token`,
  userinfo: `${OTHER_ORIGIN}/userinfo`,
  profile: () => ({ id: "7" }),
}

describeServers("A form POST that redirects to another origin", (start) => {
  let app: RunningApp
  beforeAll(async () => {
    app = await start({
      providers: [provider],
      secret: TEST_SECRET,
      logger: recordingLogger().logger,
      callbacks: { redirect: ({ url }) => url },
    })
  })

  /** The unmodified response. `Browser` would treat the page as a redirect. */
  async function post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
    const browser: Browser = app.browser()
    const csrfToken = await browser.csrf()
    let text = ""
    const response = await browser.post(
      path,
      { csrfToken, ...fields },
      { headers, seesAnswer: (body) => (text = body) },
    )
    return { response, text }
  }

  const SIGN_OUT = { callbackUrl: `${OTHER_ORIGIN}/end` }

  it.each([
    ["to sign in", "/auth/signin/acme", {}, /^https:\/\/id\.example\/authorize\?.*&a=1&lt=2%27%22&/],
    ["to sign out", "/auth/signout", SIGN_OUT, /^https:\/\/id\.example\/end$/],
  ])("%s gets a page that continues to that origin, with cookies", async (_name, path, fields, expected) => {
    const { response, text } = await post(path, fields)
    const [, refresh = ""] = /<meta http-equiv="refresh" content="0;url=([^"]*)">/.exec(text) ?? []
    const [, link = ""] = /<a class="button primary" href="([^"]*)">/.exec(text) ?? []
    expect(decodeEntities(refresh)).toMatch(expected)
    expect(link).toBe(refresh)
    expect(text).toContain("id.example")
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(response.headers.get("cache-control")).toContain("no-store")
    expect(response.headers.getSetCookie()).not.toEqual([])
  })

  it.each([
    ["from a script", { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }],
    ["without Sec-Fetch headers", { "sec-fetch-mode": "", "sec-fetch-dest": "" }],
    ["in a frame", { "sec-fetch-dest": "iframe" }],
  ])("gets a redirect for a request %s", async (_name, headers) => {
    for (const [path, fields] of [
      ["/auth/signin/acme", {}],
      ["/auth/signout", SIGN_OUT],
    ] as const) {
      const { response, text } = await post(path, fields, headers)
      expect([response.status, new URL(response.location).origin, text]).toEqual([302, OTHER_ORIGIN, ""])
    }
  })

  it("gets JSON if the client requests it", async () => {
    const { response } = await post("/auth/signin/acme", {}, { "x-auth-return-redirect": "1" })
    expect((await response.json()).url).toMatch(/^https:\/\/id\.example\/authorize/)
  })

  it("gets a redirect for a target on the same site", async () => {
    const { response, text } = await post("/auth/signout", { callbackUrl: "/bye" })
    expect([response.status, response.location, text]).toEqual([302, `${app.origin}/bye`, ""])
  })

  it("can continue to an application with a custom URL scheme", async () => {
    const { text } = await post("/auth/signout", { callbackUrl: "myapp://done" })
    expect(text).toContain('content="0;url=myapp://done"')
  })
})

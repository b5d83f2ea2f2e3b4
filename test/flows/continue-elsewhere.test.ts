import { describeServers, type RunningApp, recordingLogger, TEST_SECRET } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { decodeEntities } from "../support/html.js"

const ELSEWHERE = "https://id.example"
const provider = {
  id: "acme",
  name: "Acme",
  type: "oauth" as const,
  clientId: "an-id",
  clientSecret: "a-secret",
  authorization: `${ELSEWHERE}/authorize?a=1&lt=2'"`,
  token: `${ELSEWHERE}/token`,
  userinfo: `${ELSEWHERE}/userinfo`,
  profile: () => ({ id: "7" }),
}

describeServers("a posted form that leads to another origin", (start) => {
  let app: RunningApp
  beforeAll(async () => {
    app = await start({
      providers: [provider],
      secret: TEST_SECRET,
      logger: recordingLogger().logger,
      callbacks: { redirect: ({ url }) => url },
    })
  })

  /** The answer as it came: `Browser` itself shows the page as the redirect that it is to a person. */
  async function post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
    const browser: Browser = app.browser()
    const csrfToken = await browser.csrf()
    let text = ""
    const answer = await browser.post(path, { csrfToken, ...fields }, { headers, seesAnswer: (body) => (text = body) })
    return { answer, text }
  }

  const SIGN_OUT = { callbackUrl: `${ELSEWHERE}/end` }

  it.each([
    ["a sign-in", "/auth/signin/acme", {}, /^https:\/\/id\.example\/authorize\?.*&a=1&lt=2%27%22&/],
    ["a sign-out", "/auth/signout", SIGN_OUT, /^https:\/\/id\.example\/end$/],
  ])("%s is answered with a page that continues there, and its cookies", async (_name, path, fields, expected) => {
    const { answer, text } = await post(path, fields)
    const [, refresh = ""] = /<meta http-equiv="refresh" content="0;url=([^"]*)">/.exec(text) ?? []
    const [, link = ""] = /<a class="button primary" href="([^"]*)">/.exec(text) ?? []
    expect(decodeEntities(refresh)).toMatch(expected)
    expect(link).toBe(refresh)
    expect(text).toContain("id.example")
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(answer.headers.get("cache-control")).toContain("no-store")
    expect(answer.headers.getSetCookie()).not.toEqual([])
  })

  it.each([
    ["of a script", { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }],
    ["of a browser that does not describe it", { "sec-fetch-mode": "", "sec-fetch-dest": "" }],
    ["in a frame", { "sec-fetch-dest": "iframe" }],
  ])("keeps its redirect for a request %s", async (_name, headers) => {
    for (const [path, fields] of [
      ["/auth/signin/acme", {}],
      ["/auth/signout", SIGN_OUT],
    ] as const) {
      const { answer, text } = await post(path, fields, headers)
      expect([answer.status, new URL(answer.location).origin, text]).toEqual([302, ELSEWHERE, ""])
    }
  })

  it("keeps its JSON for a request that asks for JSON", async () => {
    const { answer } = await post("/auth/signin/acme", {}, { "x-auth-return-redirect": "1" })
    expect((await answer.json()).url).toMatch(/^https:\/\/id\.example\/authorize/)
  })

  it("keeps its redirect within the site", async () => {
    const { answer, text } = await post("/auth/signout", { callbackUrl: "/bye" })
    expect([answer.status, answer.location, text]).toEqual([302, `${app.origin}/bye`, ""])
  })

  it("may lead to an application by a scheme of its own", async () => {
    const { text } = await post("/auth/signout", { callbackUrl: "myapp://done" })
    expect(text).toContain('content="0;url=myapp://done"')
  })
})

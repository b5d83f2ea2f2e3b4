import { Browser } from "../support/browser.js"
import { overNetwork } from "../support/network.js"
import { signInAtDevProvider } from "./support/dev-person.js"
import { type RunningExample, runExample } from "./support/run-example.js"

describe("examples/tenants", () => {
  let example: RunningExample

  beforeAll(async () => {
    example = await runExample("examples/tenants/server.js")
  })
  afterAll(() => example?.stop())

  /** Connects to 127.0.0.1, because Node.js may not resolve names below localhost as browsers do. */
  const browserAt = (host: string) =>
    new Browser({
      origin: `http://${host}:${example.port}`,
      send: (request) => overNetwork(request, `http://127.0.0.1:${example.port}`),
    })

  it.each([
    ["acme.localhost", "ada", { site: "Acme", user: { name: "Ada" } }],
    ["globex.localhost", "grace", { site: "Globex", user: { name: "Grace" } }],
  ])("signs in at %s with its own provider", async (host, as, expected) => {
    const browser = browserAt(host)
    const page = await signInAtDevProvider(browser, { path: "/me", as })
    expect(page.url).toBe(`http://${host}:${example.port}/me`)
    expect(await page.json()).toMatchObject(expected)
  })

  it("ignores a session of another site", async () => {
    const acme = browserAt("acme.localhost")
    await signInAtDevProvider(acme, { path: "/me", as: "ada" })
    const globex = browserAt("globex.localhost")
    const cookie = acme.cookie("authjs.session-token")
    globex.setCookie("authjs.session-token", String(cookie))
    expect(await (await globex.get("/")).json()).toEqual({ site: "Globex", signedInAs: null })
    expect(await (await acme.get("/")).json()).toEqual({ site: "Acme", signedInAs: "Ada" })
  })

  it("styles each sign-in page in the site's colour", async () => {
    const browser = browserAt("acme.localhost")
    const page = await (await browser.get("/auth/signin")).text()
    const [, styles = ""] = /href="([^"]+\.css)"/.exec(page) ?? []
    const text = await (await browser.get(styles)).text()
    expect(text).toContain("#b91c1c")
    expect(text).not.toContain("#15803d")
  })

  it.each(["/", "/auth/signin", "/auth/session"])(
    "responds 404 without cookies to an unknown host: %s",
    async (path) => {
      const stranger = browserAt("initech.localhost")
      const page = await stranger.get(path)
      expect(page.status).toBe(404)
      expect(page.headers.getSetCookie()).toEqual([])
    },
  )
})

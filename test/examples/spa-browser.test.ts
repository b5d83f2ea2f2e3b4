import { createServer } from "node:http"
import type { Browser as Chromium, Page } from "playwright-core"
import { describeInChromium, launch, newPerson } from "../browser/support/chromium.js"
import { type Listening, listen } from "../support/listen.js"
import { type RunningExample, runExample } from "./support/run-example.js"

describeInChromium("examples/spa", () => {
  let example: RunningExample
  let chromium: Chromium
  let evil: Listening

  beforeAll(async () => {
    const stranger = createServer((_, res) => res.setHeader("Content-Type", "text/html").end("<title>Evil</title>"))
    ;[example, chromium, evil] = await Promise.all([runExample("examples/spa/server.js"), launch(), listen(stranger)])
  })
  afterAll(() => Promise.all([example?.stop(), chromium?.close(), evil?.close()]))

  const appOrigin = () => `http://localhost:${example.port + 2}`

  async function signIn() {
    const { context } = await newPerson(chromium, {})
    const page = await context.newPage()
    await page.goto(appOrigin())
    await page.getByText("Nobody is signed in").waitFor()
    await page.getByRole("link", { name: "Sign in" }).click()
    await page.getByRole("button", { name: /Development provider/ }).click()
    await page.getByRole("button", { name: /^Alice/ }).click()
    await page.getByText("Signed in as Alice").waitFor()
    return { context, page }
  }

  it("signs in by navigation, uses the API, and signs out by a request", async () => {
    const { context, page } = await signIn()
    expect(page.url()).toBe(`${appOrigin()}/`)
    await page.getByLabel("Note").fill("Milk")
    await page.getByRole("button", { name: "Add" }).click()
    await page.getByText("Alice: Milk").waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByText("Nobody is signed in").waitFor()
    await context.close()
  })

  /** The status that a script sees when it calls the API with cookies, or "blocked" if CORS hides the response. */
  const callApi = (page: Page, path: string, init: Record<string, unknown> = {}) =>
    page.evaluate(
      async ([url, options]) => {
        try {
          return (await fetch(String(url), { credentials: "include", ...Object(options) })).status
        } catch {
          return "blocked"
        }
      },
      [example.origin + path, init] as const,
    )

  it("pages of another origin can neither read nor write with the user's cookies", async () => {
    const { context } = await signIn()
    const page = await context.newPage()
    // Another port is the same site but another origin: cookies are sent, so only the list of origins protects.
    await page.goto(`http://localhost:${new URL(evil.origin).port}`)
    const headers = { "Content-Type": "application/json" }
    const note = JSON.stringify({ text: "written by a stranger" })
    expect(await callApi(page, "/me")).toBe("blocked")
    expect(await callApi(page, "/auth/csrf")).toBe("blocked")
    expect(await callApi(page, "/notes", { method: "POST", headers, body: note })).toBe("blocked")
    // A request without preflight is sent; the server rejects it, and its response is hidden.
    expect(await callApi(page, "/notes", { method: "POST", mode: "no-cors", body: note })).toBe(0)
    const own = await context.newPage()
    await own.goto(appOrigin())
    await own.getByLabel("Note").fill("Bread")
    await own.getByRole("button", { name: "Add" }).click()
    await own.getByText("Alice: Bread").waitFor()
    expect(await own.getByText("stranger").count()).toBe(0)
    await context.close()
  })

  it("CORS responses name only the allowed origin, and `Vary` includes Origin", async () => {
    const answer = await fetch(`${example.origin}/me`, { headers: { origin: "https://evil.example" } })
    expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    expect(answer.headers.get("vary")).toMatch(/\bOrigin\b/i)
    const allowed = await fetch(`${example.origin}/me`, { headers: { origin: appOrigin() } })
    expect(allowed.headers.get("access-control-allow-origin")).toBe(appOrigin())
    expect([allowed.status, allowed.headers.get("content-type")]).toEqual([401, expect.stringMatching(/problem\+json/)])
  })
})

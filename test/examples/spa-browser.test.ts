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

  it("signs in by a visit, works with the API, and signs out by a request", async () => {
    const { context, page } = await signIn()
    expect(page.url()).toBe(`${appOrigin()}/`)
    await page.getByLabel("Note").fill("Milk")
    await page.getByRole("button", { name: "Add" }).click()
    await page.getByText("Alice: Milk").waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByText("Nobody is signed in").waitFor()
    await context.close()
  })

  /** What a page gets when it asks the API with the browser's cookies: a status, or that the browser kept the answer back. */
  const ask = (page: Page, path: string, init: Record<string, unknown> = {}) =>
    page.evaluate(
      async ([url, options]) => {
        try {
          return (await fetch(String(url), { credentials: "include", ...Object(options) })).status
        } catch {
          return "kept back"
        }
      },
      [example.origin + path, init] as const,
    )

  it("lets no page of another origin read or write, though the browser is signed in", async () => {
    const { context } = await signIn()
    const page = await context.newPage()
    // The same site, another port: cookies go along, and what stands in the way is the list of origins.
    await page.goto(`http://localhost:${new URL(evil.origin).port}`)
    const headers = { "Content-Type": "application/json" }
    const note = JSON.stringify({ text: "written by a stranger" })
    expect(await ask(page, "/me")).toBe("kept back")
    expect(await ask(page, "/auth/csrf")).toBe("kept back")
    expect(await ask(page, "/notes", { method: "POST", headers, body: note })).toBe("kept back")
    // A request that needs no leave arrives, and is refused: its answer is kept back as well.
    expect(await ask(page, "/notes", { method: "POST", mode: "no-cors", body: note })).toBe(0)
    const own = await context.newPage()
    await own.goto(appOrigin())
    await own.getByLabel("Note").fill("Bread")
    await own.getByRole("button", { name: "Add" }).click()
    await own.getByText("Alice: Bread").waitFor()
    expect(await own.getByText("stranger").count()).toBe(0)
    await context.close()
  })

  it("names the one origin that may read, and asks caches to tell origins apart", async () => {
    const answer = await fetch(`${example.origin}/me`, { headers: { origin: "https://evil.example" } })
    expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    expect(answer.headers.get("vary")).toMatch(/\bOrigin\b/i)
    const allowed = await fetch(`${example.origin}/me`, { headers: { origin: appOrigin() } })
    expect(allowed.headers.get("access-control-allow-origin")).toBe(appOrigin())
    expect([allowed.status, allowed.headers.get("content-type")]).toEqual([401, expect.stringMatching(/problem\+json/)])
  })
})

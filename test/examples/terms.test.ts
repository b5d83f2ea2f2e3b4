import { Browser } from "../support/browser.js"
import { signInAtDevProvider } from "./support/dev-person.js"
import { type RunningExample, runExample } from "./support/run-example.js"

describe("examples/terms", () => {
  let example: RunningExample

  beforeAll(async () => {
    example = await runExample("examples/terms/server.js")
  })
  afterAll(() => example?.stop())

  it("asks for the terms at the first sign-in only", async () => {
    const browser = new Browser({ origin: example.origin })
    const page = await signInAtDevProvider(browser, { path: "/me", as: "alice" })
    expect(page.url).toBe(`${example.origin}/terms`)
    const me = await browser.submit(browser.form(await page.text()), {}, { follow: true })
    expect(await me.json()).toMatchObject({ name: "Alice" })
    const later = new Browser({ origin: example.origin })
    expect((await signInAtDevProvider(later, { path: "/me", as: "alice" })).url).toBe(`${example.origin}/me`)
  })

  it("returns to the sign-in page when the user cancels", async () => {
    const browser = new Browser({ origin: example.origin })
    const page = await signInAtDevProvider(browser, { path: "/me", as: "bob" })
    const [, cancelUrl = ""] = /href="([^"]+)"/.exec(await page.text()) ?? []
    expect((await browser.get(cancelUrl)).status).toBe(200)
    expect((await browser.get("/terms")).location).toBe(`${example.origin}/auth/signin`)
    expect((await browser.get("/me")).status).toBe(302)
  })
})

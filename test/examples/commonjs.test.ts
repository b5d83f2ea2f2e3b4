import { Browser } from "../support/browser.js"
import { type RunningExample, runExample } from "./support/run-example.js"

describe("examples/commonjs", () => {
  let example: RunningExample

  beforeAll(async () => {
    example = await runExample("examples/commonjs/server.cjs")
  })
  afterAll(() => example?.stop())

  async function signIn(username: string, password: string) {
    const browser = new Browser({ origin: example.origin })
    const login = await browser.get("/hello", { follow: true })
    const form = browser.form(await login.text(), "/auth/callback/credentials")
    return browser.submit(form, { username, password }, { follow: true })
  }

  it("signs in on the built-in page and returns to the requested page", async () => {
    const page = await signIn("carol", "wonderland")
    expect(page.url).toBe(`${example.origin}/hello`)
    expect(await page.text()).toBe("Hello, Carol")
  })

  it.each([
    ["a wrong password", "carol", "looking-glass"],
    ["an unknown user name", "dora", "wonderland"],
  ])("rejects %s", async (_, username, password) => {
    const page = await signIn(username, password)
    expect(new URL(page.url).searchParams.get("error")).toBe("CredentialsSignin")
  })
})

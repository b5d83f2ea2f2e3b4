import type { AuthConfig } from "../../../lib/types.js"
import { people } from "../../express/support/servers.js"
import { describeServers, type RunningApp, recordingLogger, TEST_SECRET } from "../../support/apps.js"

type Redirect = NonNullable<NonNullable<AuthConfig["callbacks"]>["redirect"]>

describeServers("callbacks.redirect", (start) => {
  async function startWith(redirect: unknown) {
    const { logger, records } = recordingLogger()
    const config: AuthConfig = {
      providers: [people()],
      secret: TEST_SECRET,
      logger,
      // In JavaScript, the callback can return any value.
      callbacks: { redirect: redirect as Redirect },
    }
    return { app: await start(config), records }
  }

  async function signIn(app: RunningApp) {
    const browser = app.browser()
    const fields = { csrfToken: await browser.csrf(), username: "ada", password: "right", callbackUrl: "/me" }
    const page = await browser.post("/auth/callback/credentials", fields)
    return { page, session: await (await browser.get("/me")).json() }
  }

  it.each([
    ["undefined", () => undefined],
    ["null", () => null],
    ["boolean", async () => true],
    ["number", () => 7],
    ["object", () => ({ url: "/me" })],
  ])("is refused and logged if it returns %s", async (kind, redirect) => {
    const { app, records } = await startWith(redirect)
    const { page, session } = await signIn(app)
    expect([new URL(page.location).pathname, session]).toEqual(["/auth/error", null])
    const errors = records
      .filter(({ level }) => level === "error")
      .map(({ error }) => String(Object(error?.cause).err ?? error))
    expect(errors[0]).toContain(`callbacks.redirect returned ${kind}. Return a URL or a path in every case`)
  })

  it("can return a URL object", async () => {
    const { app } = await startWith(({ url, baseUrl }: { url: string; baseUrl: string }) => new URL(url, baseUrl))
    const { page, session } = await signIn(app)
    expect([page.location, session]).toMatchObject([`${app.origin}/me`, { user: { name: "ada" } }])
  })
})

describeServers("After a sign-out", (start) => {
  async function signInUser() {
    const app = await start({ providers: [people()], secret: TEST_SECRET, logger: recordingLogger().logger })
    const browser = app.browser()
    const fields = { csrfToken: await browser.csrf(), username: "ada", password: "right", callbackUrl: "/guarded" }
    await browser.post("/auth/callback/credentials", fields)
    return { app, browser }
  }

  it("the user is redirected to the home page, not to the return URL of the sign-in", async () => {
    const { app, browser } = await signInUser()
    expect(decodeURIComponent(browser.cookie("authjs.callback-url") ?? "")).toBe(`${app.origin}/guarded`)
    const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect(page.location).toBe(`${app.origin}/`)
  })

  it("the built-in form redirects the user to the home page", async () => {
    const { app, browser } = await signInUser()
    const form = browser.form(await (await browser.get("/auth/signout")).text())
    expect((await browser.submit(form)).location).toBe(`${app.origin}/`)
  })

  it.each([
    ["a field of the form", "/auth/signout", { callbackUrl: "/bye" }],
    ["the query of the form's action", "/auth/signout?callbackUrl=/bye", {}],
  ])("the user is redirected to the callbackUrl in %s", async (_name, path, fields) => {
    const { app, browser } = await signInUser()
    const page = await browser.post(path, { csrfToken: await browser.csrf(), ...fields })
    expect(page.location).toBe(`${app.origin}/bye`)
  })
})

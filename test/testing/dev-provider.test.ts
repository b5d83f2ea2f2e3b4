import { MemoryStore } from "../../lib/store/memory.js"
import { type DevMode, type DevProvider, devProvider } from "../../lib/testing.js"
import type { AuthConfig, Profile } from "../../lib/types.js"
import { describeServer, type RunningApp, recordingLogger, type Start } from "../support/apps.js"
import type { Browser, Page } from "../support/browser.js"
import { visibleText } from "../support/html.js"
import { failOnUnhandled } from "../support/unhandled.js"

failOnUnhandled()

interface Site {
  readonly app: RunningApp
  /** What the provider has said of those who signed in. */
  readonly profiles: (Profile | undefined)[]
  /** The codes of the errors and warnings since it was asked last, and all that they say. */
  takeLog(): { codes: (string | undefined)[]; text: string }
}

/** An application whose only way to sign in is the provider, and that has no secret. */
async function startSite(start: Start, dev: DevProvider, more: Partial<AuthConfig> = {}): Promise<Site> {
  const { logger, records, text } = recordingLogger()
  const profiles: Site["profiles"] = []
  const signIn = ({ profile }: { profile?: Profile }) => profiles.push(profile) > 0
  const app = await start({ providers: [dev], logger, callbacks: { signIn }, ...more })
  const takeLog = () => {
    const told = records
    const log = { codes: told.map(({ code }) => code), text: text() }
    records.length = 0
    return log
  }
  return { app, profiles, takeLog }
}

/** Presses the provider's button, and gives the provider's answer, without going back to the application. */
async function goToProvider(browser: Browser, query = ""): Promise<Page> {
  // The sign-in page of a user who is signed in already shows the providers only for another account.
  const page = await browser.get("/auth/signin?connect=true")
  const form = browser.form(await page.text(), "/auth/signin/dev")
  const { location } = await browser.submit({ ...form, action: form.action + query })
  return browser.get(location)
}

const sessionOf = async (browser: Browser) => (await browser.get("/me")).json()

/** Goes all the way: the address where the person ends up, and who is signed in then. */
async function signIn(browser: Browser, query = "") {
  const answer = await goToProvider(browser, query)
  const end = await browser.get(answer.location, { follow: true })
  return { url: new URL(end.url), session: await sessionOf(browser) }
}

const ALICE = { name: "Alice", email: "alice@example.com" }
const BOB = { name: "Bob", email: "bob@example.com" }

describe.each(["Express 5", "Express 4"] as const)("devProvider() on %s", (stage) => {
  describeServer("with logout: true", stage, (start) => {
    it("ends its own session when the user signs out", async () => {
      const dev = await devProvider({ port: 0, logout: true }).listen()
      const { app, takeLog } = await startSite(start, dev, { store: MemoryStore() })
      takeLog()
      const browser = app.browser()
      dev.next({ as: "bob" })
      expect(await signIn(browser)).toMatchObject({ session: { user: BOB } })
      // It remembers the browser.
      expect(await signIn(browser, "?prompt=none")).toMatchObject({ session: { user: BOB } })
      const fields = { csrfToken: await browser.csrf(), callbackUrl: "/public" }
      const end = await browser.post("/auth/signout", fields, { follow: true })
      expect([end.url, await sessionOf(browser)]).toEqual([`${app.origin}/public`, null])
      expect(takeLog().codes).toEqual([])
      expect((await signIn(browser, "?prompt=none")).session).toBeNull()
      await dev.close()
    })
  })

  describeServer("signs in", stage, (start) => {
    let dev: DevProvider
    let site: Site
    let browser: Browser

    beforeAll(async () => {
      dev = await devProvider({ port: 0, slowSeconds: 0.2 }).listen()
      site = await startSite(start, dev)
    })
    beforeEach(() => {
      browser = site.app.browser()
      dev.reset()
      site.takeLog()
      site.profiles.length = 0
    })
    afterAll(() => dev.close())

    it("whom a click on its page names", async () => {
      const html = await (await goToProvider(browser)).text()
      expect(visibleText(html)).toContain(`Choose a user You are signing in to ${new URL(site.app.origin).host}.`)
      const back = await browser.submit(browser.form(html), { user: "bob" })
      await browser.get(back.location)
      expect(await sessionOf(browser)).toMatchObject({ user: BOB })
      expect(site.takeLog().codes).toEqual([])
    })

    it("whom `next` names, once, and then asks again", async () => {
      dev.next({ as: "bob" })
      dev.next({ as: "ALICE@example.com" })
      expect(await signIn(browser)).toMatchObject({ session: { user: BOB } })
      expect(await signIn(browser)).toMatchObject({ session: { user: ALICE } })
      expect((await goToProvider(browser)).status).toBe(200)
    })

    it("whom `always` names, until it is to ask again", async () => {
      dev.always({ as: "bob" })
      for (let i = 0; i < 2; i++) expect(await signIn(site.app.browser())).toMatchObject({ session: { user: BOB } })
      dev.reset()
      expect((await goToProvider(browser)).status).toBe(200)
    })

    it("whom login_hint names, unless a prompt asks for the page", async () => {
      expect(await signIn(browser, "?login_hint=bob%40example.com")).toMatchObject({ session: { user: BOB } })
      const page = await goToProvider(browser, "?login_hint=bob&prompt=select_account")
      const [first] = browser.forms(await page.text())
      expect(first?.buttons[0]?.value).toBe("bob")
    })

    it("with other claims for one time, and without some", async () => {
      dev.next({ as: "alice", claims: { email: "new@example.com", name: undefined, groups: ["staff"] } })
      expect(await signIn(browser)).toMatchObject({ session: { user: { email: "new@example.com" } } })
      expect(site.profiles).toEqual([expect.objectContaining({ sub: "alice", groups: ["staff"] })])
      expect(site.profiles[0]).not.toHaveProperty("name")
      dev.next({ as: "alice" })
      expect(await signIn(browser)).toMatchObject({ session: { user: ALICE } })
    })

    it("people who sign in at the same time, each as who they are", async () => {
      const names = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? "alice" : "bob"))
      const ends = await Promise.all(names.map((name) => signIn(site.app.browser(), `?login_hint=${name}`)))
      expect(ends.map(({ session }) => Object(session).user)).toEqual(names.map((n) => (n === "alice" ? ALICE : BOB)))
    })

    it.each<[DevMode, Partial<Profile>, readonly string[]]>([
      ["unverified-email", { email: "alice@example.com", email_verified: false }, []],
      ["no-email", { name: "Alice" }, ["email", "email_verified"]],
      ["new-keys", { sub: "alice" }, []],
    ])("in the mode %s", async (mode, said, unsaid) => {
      dev.next({ as: "bob" })
      await signIn(browser)
      site.profiles.length = 0
      dev.next({ as: "alice", mode })
      expect(await signIn(browser)).toMatchObject({ session: { user: { name: "Alice" } } })
      expect(site.profiles).toEqual([expect.objectContaining(said)])
      for (const claim of unsaid) expect(site.profiles[0]).not.toHaveProperty(claim)
      expect(site.takeLog().codes).toEqual([])
    })

    it("late in the mode slow", async () => {
      dev.next({ as: "bob", mode: "slow" })
      const startedAt = performance.now()
      expect(await signIn(browser)).toMatchObject({ session: { user: BOB } })
      expect(performance.now() - startedAt).toBeGreaterThan(190)
    })

    it.each<[DevMode, string, RegExp]>([
      ["deny", "OAuthCallbackError", /the provider answered "access_denied"/],
      ["expired-flow", "InvalidCheck", /this browser has no sign-in in progress with this provider/],
      ["expired-code", "OAuthCallbackError", /invalid_grant/],
      ["expired-token", "OAuthCallbackError", /"exp"/],
      ["wrong-signature", "OAuthCallbackError", /signature verification failed/],
    ])("nobody in the mode %s: the page says so, and the log why", async (mode, code, reason) => {
      dev.next({ mode })
      const { url, session } = await signIn(browser)
      expect([url.pathname, url.searchParams.get("error"), session]).toEqual([
        ...["/auth/signin", "OAuthCallbackError"],
        null,
      ])
      const log = site.takeLog()
      expect(log.codes).toEqual([code])
      expect(log.text).toMatch(reason)
    })
  })
})

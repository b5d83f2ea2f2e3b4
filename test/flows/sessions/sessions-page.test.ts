import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { endSessions, listSessions } from "../../../lib/index.js"
import Credentials from "../../../lib/providers/credentials.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServer, describeServers, recordingLogger, type Start } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { decodeEntities, visibleText } from "../../support/html.js"
import { guardProcess } from "../support/guard.js"

guardProcess()

const PAGE = "/auth/sessions"
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0"
const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"
const HOUR = 60 * 60 * 1000

/** Signs in the user whose id is given as the user name. */
const byUserId = (name?: string) =>
  Credentials({
    ...(name && { name }),
    credentials: { username: {}, password: {} },
    authorize: ({ username }) => ({ id: String(username), name: String(username) }),
  })

async function startSite(start: Start, over: Partial<AuthConfig> = {}) {
  const time = { now: Date.now() }
  const now = () => time.now
  const { logger, records } = recordingLogger()
  const config = configOf({ store: MemoryStore({ now }), providers: [byUserId()], logger, clock: now, ...over })
  const app = await start(config)
  const signInUser = async (username = "ada", headers: Record<string, string> = {}) => {
    const browser = app.browser({ now, headers })
    await signIn(browser, "/auth", { username })
    return browser
  }
  return { app, config, records, signInUser, time }
}

const read = async (browser: Browser): Promise<string> => (await browser.get(PAGE)).text()
const text = async (browser: Browser): Promise<string> => visibleText(await read(browser))
const isSignedIn = async (browser: Browser): Promise<boolean> => (await (await browser.get("/me")).json()) !== null

const change = async (browser: Browser, fields: Record<string, unknown>) =>
  browser.postJson(PAGE, { csrfToken: await browser.csrf(), ...fields })

/** Submits a form of the page: "end" ends the first other session of the list. */
async function submit(browser: Browser, operation: "end" | "end-others") {
  const form = browser.forms(await read(browser)).find(({ fields }) => fields["do"] === operation)
  if (!form) throw new Error(`the page has no form ${operation}`)
  return browser.submit(form)
}

const STRATEGIES = {
  "encrypted cookies": () => ({}),
  "database sessions": () => {
    const adapter = MemoryAdapter()
    const newUser = (name: string) => adapter.createUser({ id: "", name, email: `${name}@x.test`, emailVerified: null })
    const users = new Map(["ada", "eve"].map((name) => [name, Promise.resolve(newUser(name))]))
    const authorize = async ({ username }: { username?: unknown }) => (await users.get(String(username))) ?? null
    const provider = Credentials({ credentials: { username: {}, password: {} }, authorize })
    return { adapter, providers: [provider], session: { strategy: "database" as const } }
  },
}

describe.each(Object.entries(STRATEGIES))("sessions page with %s", (_, strategy) => {
  describeServers("and a store", (start) => {
    it("lists this device first, then the others in order of their last use, newest first", async () => {
      const { signInUser, time } = await startSite(start, strategy())
      const first = await signInUser("ada", { "user-agent": FIREFOX })
      time.now += HOUR
      await signInUser("ada", { "user-agent": "a client of its own" })
      time.now += HOUR
      await signInUser("ada", { "user-agent": SAFARI })
      time.now += HOUR
      await signInUser("eve")
      expect(await text(first)).toMatch(
        /Firefox on Windows This device .*now.*Safari on iOS .*1 hour ago.*Unknown browser .*2 hours ago/,
      )
      expect((await read(first)).match(/<li>/g)).toHaveLength(3)
    })

    it("ends one session and returns to the page", async () => {
      const { app, signInUser, time } = await startSite(start, strategy())
      const [kept, ended] = [await signInUser(), await signInUser()]
      time.now += HOUR
      const browser = await signInUser()
      // The session that was used last is the first one of the list.
      expect(await isSignedIn(ended)).toBe(true)
      const answer = await submit(browser, "end")
      expect([answer.status, answer.location]).toEqual([302, app.origin + PAGE])
      expect([await isSignedIn(ended), await isSignedIn(kept), await isSignedIn(browser)]).toEqual([false, true, true])
      expect((await read(browser)).match(/<li>/g)).toHaveLength(2)
    })

    it("ends all other sessions of the user after a confirmation", async () => {
      const { app, signInUser } = await startSite(start, strategy())
      const [browser, other, third, eve] = [
        await signInUser(),
        await signInUser(),
        await signInUser(),
        await signInUser("eve"),
      ]
      expect(await read(browser)).toMatch(
        /<details>\s*<summary>Sign out everywhere else<\/summary>\s*<form[\s\S]*?Do you want to sign out on all/,
      )
      const answer = await submit(browser, "end-others")
      expect([answer.status, answer.location]).toEqual([302, app.origin + PAGE])
      const results = [await isSignedIn(browser), await isSignedIn(other), await isSignedIn(third)]
      expect([...results, await isSignedIn(eve)]).toEqual([true, false, false, true])
      const html = await read(browser)
      expect([html.match(/<li>/g)?.length, html.includes("Sign out everywhere else")]).toEqual([1, false])
    })

    it("responds to the id of another user's session as to an unknown one, and ends nothing", async () => {
      const { config, signInUser, records } = await startSite(start, strategy())
      const [ada, eve] = [await signInUser(), await signInUser("eve")]
      const owner = (await config.adapter?.getUserByEmail?.("ada@x.test"))?.id ?? "ada"
      const [session] = await listSessions(config, owner)
      const fields = [
        { id: session?.id },
        { id: "unknown" },
        { id: "" },
        {},
        { id: [session?.id] },
        { id: { toString: 1 } },
      ]
      const answers = []
      for (const field of fields) {
        const { status, location, headers } = await change(eve, { do: "end", ...field })
        answers.push({ status, location, cookies: headers.getSetCookie().length })
      }
      expect(session?.id).toEqual(expect.any(String))
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect([await isSignedIn(ada), await isSignedIn(eve), records]).toEqual([true, true, []])
    })

    it("redirects visitors without a session to the sign-in page with this page as the return URL", async () => {
      const { app, config, signInUser } = await startSite(start, strategy())
      const ended = await signInUser()
      const owner = (await config.adapter?.getUserByEmail?.("ada@x.test"))?.id ?? "ada"
      await endSessions(config, owner)
      const stranger = app.browser()
      const answers = [await stranger.get(PAGE), await change(stranger, { do: "end-others" }), await ended.get(PAGE)]
      for (const { status, location } of answers) {
        const { pathname, searchParams } = new URL(location)
        expect([status, pathname, searchParams.get("error")]).toEqual([302, "/auth/signin", "SessionRequired"])
        expect(searchParams.get("callbackUrl")).toBe(app.origin + PAGE)
      }
    })

    it("ends nothing without a valid CSRF token or from another site", async () => {
      const { signInUser } = await startSite(start, strategy())
      const [browser, other] = [await signInUser(), await signInUser()]
      const forged = await browser.post(PAGE, { do: "end-others", csrfToken: "x" })
      expect(forged.location).toContain("error=MissingCSRF")
      const csrfToken = await browser.csrf()
      const headers = { "sec-fetch-site": "cross-site" }
      const crossSite = await browser.post(PAGE, { do: "end-others", csrfToken }, { headers })
      expect(crossSite.location).toContain("error=MissingCSRF")
      expect(await isSignedIn(other)).toBe(true)
    })
  })
})

describeServer("sessions page", "Express 5", (start) => {
  it("shows the recorded address", async () => {
    const { signInUser } = await startSite(start, { session: { recordAddress: "truncated" } })
    expect(await text(await signInUser())).toMatch(/IP address: (?:127\.0\.0\.0\/24|0:0:0::\/48)/)
  })
})

describeServer("sessions page", "Auth()", (start) => {
  it("shows the name of the provider, or the id of a provider that was removed", async () => {
    const store = MemoryStore()
    const before = await startSite(start, { store, providers: [{ ...byUserId("Our directory"), id: "old" } as never] })
    const browser = before.app.browser()
    await browser.post("/auth/callback/old", { csrfToken: await browser.csrf(), username: "ada" })
    expect(await text(browser)).toContain("Signed in with Our directory")
    const after = await startSite(start, { store, providers: [byUserId()] })
    const later = await after.signInUser()
    const html = await text(later)
    expect([html.includes("Signed in with old"), html.includes("Credentials")]).toEqual([true, false])
  })

  it("is in the language of the browser, including dates and text direction", async () => {
    const { signInUser, time } = await startSite(start)
    await signInUser()
    time.now += 3 * 24 * HOUR
    const german = await signInUser("ada", { "accept-language": "de", "user-agent": FIREFOX })
    expect(await text(german)).toMatch(/Firefox auf Windows Dieses Gerät .*jetzt.*Unbekannter Browser.*vor 3 Tagen/)
    expect(await read(german)).toContain(`<time datetime="${new Date(time.now - 3 * 24 * HOUR).toISOString()}">`)
    const arabic = await signInUser("ada", { "accept-language": "ar" })
    expect(await read(arabic)).toMatch(/<html lang="ar" dir="rtl"[\s\S]*قبل 3 أيام/)
  })

  it("does not renew the session for HEAD, and rejects other methods and operations", async () => {
    const { signInUser, time } = await startSite(start)
    const browser = await signInUser()
    time.now += 2 * 24 * HOUR
    const head = await browser.request(PAGE, { method: "HEAD" })
    expect([head.status, head.headers.getSetCookie()]).toEqual([200, []])
    expect((await browser.request(PAGE, { method: "PUT" })).status).toBe(405)
    for (const operation of ["steal", undefined, ["end-others"]])
      expect((await change(browser, { do: operation })).status).toBe(400)
  })

  it("does not end this browser's session", async () => {
    const { config, signInUser } = await startSite(start)
    const browser = await signInUser()
    const [session] = await listSessions(config, "ada")
    await change(browser, { do: "end", id: session?.id })
    expect(await isSignedIn(browser)).toBe(true)
  })

  it("does not contain the token of another session or the user's id", async () => {
    const { config, signInUser } = await startSite(start, STRATEGIES["database sessions"]())
    const browser = await signInUser()
    const other = await signInUser()
    const html = decodeEntities(await read(browser))
    const owner = (await config.adapter?.getUserByEmail?.("ada@x.test"))?.id ?? "no user"
    expect(await listSessions(config, owner)).toHaveLength(2)
    expect(html).not.toContain(other.cookie("authjs.session-token"))
    expect(html).not.toContain(owner)
  })

  it.each([
    ["without a store", { store: undefined }],
    ["with session.revocable: false", { session: { revocable: false } }],
  ])("responds 404 %s", async (_, over) => {
    const { app } = await startSite(start, over)
    expect((await app.browser().get(PAGE)).status).toBe(404)
  })
})

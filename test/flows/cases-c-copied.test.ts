/**
 * SES-33 and SES-03: an encrypted cookie that somebody else has too.
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import Credentials from "../../lib/providers/credentials.js"
import type { AuthConfig } from "../../lib/types.js"
import { configOf, signIn } from "../express/support/servers.js"
import { describeServers, recordingLogger } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { until } from "../support/wait.js"
import { documentedConfig } from "./support/documented.js"
import { guardProcess } from "./support/guard.js"

guardProcess()

const NAME = "authjs.session-token"
const PAGE = "docs/sessions.md"
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()
const isIn = async (browser: Browser): Promise<boolean> => (await read(browser, "/me")) !== null

/** Lets in whoever gives a user's id for a name. */
const anybody = Credentials({
  credentials: { username: {}, password: {} },
  authorize: ({ username }) => ({ id: String(username), name: String(username) }),
})

describeServers("an encrypted cookie that was copied", (start) => {
  it("SES-33: is null at once where the application keeps a moment for each user, as documented", async () => {
    const moments = new Map<string, number>()
    const scope = { signedOutBefore: async (id: string) => moments.get(id) ?? 0 }
    const { callbacks = {} } = documentedConfig(PAGE, "signedOutBefore(token.sub)", scope)
    const app = await start(configOf({ providers: [anybody], callbacks }))
    const signedIn = async (username: string) => {
      const browser = app.browser()
      await signIn(browser, "/auth", { username })
      return browser
    }
    const [here, there, other] = [await signedIn("ada"), await signedIn("ada"), await signedIn("bob")]
    for (const browser of [here, there, other]) expect(await isIn(browser)).toBe(true)
    const thief = there.clone()
    moments.set("ada", Date.now())
    for (const browser of [here, there, thief]) {
      expect([await read(browser), browser.cookie(NAME)]).toEqual([null, undefined])
    }
    expect(await isIn(other)).toBe(true)
    await until(() => Date.now() > (moments.get("ada") ?? 0))
    expect([await isIn(await signedIn("ada")), await isIn(thief)]).toEqual([true, false])
  })

  /** The list of the documentation, on a set that can fail. */
  async function listSite(over: Partial<AuthConfig> = {}) {
    const list = new Set<unknown>()
    const broken = { reads: false, writes: false }
    const refuse = (isBroken: boolean) => {
      if (isBroken) throw new Error("the list is down")
    }
    const signedOut = {
      async has(sid: unknown) {
        refuse(broken.reads)
        return list.has(sid)
      },
      async add(sid: unknown) {
        refuse(broken.writes)
        list.add(sid)
      },
    }
    const { callbacks = {}, events = {} } = documentedConfig(PAGE, "signedOut.has(token.sid)", {
      signedOut,
      randomUUID,
    })
    const { logger, records } = recordingLogger()
    const app = await start(configOf({ callbacks, events, logger, ...over }))
    return { app, list, broken, records, errors: () => records.filter(({ level }) => level === "error") }
  }

  const signOut = async (browser: Browser) => browser.post("/auth/signout", { csrfToken: await browser.csrf() })

  it("SES-03: is refused after signing out where the application keeps a list, as documented", async () => {
    const { app, list, errors } = await listSite()
    const [browser, elsewhere] = [app.browser(), app.browser()]
    await signIn(browser)
    await signIn(elsewhere)
    const thief = browser.clone()
    // The thief's copy is renewed meanwhile, and has another jti.
    expect(await isIn(thief)).toBe(true)
    await read(thief)
    const renewed = thief.cookie(NAME) ?? ""
    const copy = browser.cookie(NAME) ?? ""
    expect(renewed).not.toBe(copy)
    await signOut(browser)
    expect([await isIn(browser), list.size]).toEqual([false, 1])
    for (const value of [copy, renewed])
      for (const path of ["/auth/session", "/me"]) {
        thief.setCookie(NAME, value)
        expect([await read(thief, path), thief.cookie(NAME)]).toEqual([null, undefined])
      }
    thief.setCookie(NAME, renewed)
    const page = await thief.postJson("/auth/session", { csrfToken: await thief.csrf(), data: { sid: randomUUID() } })
    expect([await page.json(), thief.cookie(NAME)]).toEqual([null, undefined])
    expect([await isIn(elsewhere), errors()]).toEqual([true, []])
    await signIn(browser)
    expect(await isIn(browser)).toBe(true)
  })

  it("SES-03: is refused where it is older than the list, and puts nothing on it", async () => {
    const { app, list } = await listSite()
    const browser = app.browser()
    const { encode } = await import("../../lib/jwt.js")
    const secret = String(configOf().secret)
    browser.setCookie(NAME, await encode({ token: { name: "ada", sub: "7" }, secret, salt: NAME }))
    const twin = browser.clone()
    expect(await isIn(browser)).toBe(false)
    await signOut(twin)
    expect(list.size).toBe(0)
  })

  it("SES-03: is let in by no list that can't be read, and keeps its cookie", async () => {
    const { app, broken } = await listSite()
    const browser = app.browser()
    await signIn(browser)
    broken.reads = true
    for (const path of ["/auth/session", "/me"]) {
      const page = await browser.get(path)
      expect([page.status, page.headers.getSetCookie()]).toEqual([500, []])
    }
    broken.reads = false
    expect(await isIn(browser)).toBe(true)
  })

  it("SES-03: stays good when the list can't be written, and the log says so", async () => {
    const { app, broken, errors } = await listSite()
    const browser = app.browser()
    await signIn(browser)
    const thief = browser.clone()
    broken.writes = true
    await signOut(browser)
    expect(await isIn(browser)).toBe(false)
    expect(errors()).toMatchObject([{ code: "EventError" }])
    expect(await isIn(thief)).toBe(true)
  })
})

/**
 * SES-33 and SES-03: revoking copies of an encrypted cookie with the examples of docs/sessions.md.
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import Credentials from "../../../lib/providers/credentials.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { until } from "../../support/wait.js"
import { documentedConfig } from "../support/documented.js"
import { guardProcess } from "../support/guard.js"

guardProcess()

const NAME = "authjs.session-token"
const PAGE = "docs/sessions.md"
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()
const isSignedIn = async (browser: Browser): Promise<boolean> => (await read(browser, "/me")) !== null

/** Signs in the user whose id is given as the user name. */
const byUserId = Credentials({
  credentials: { username: {}, password: {} },
  authorize: ({ username }) => ({ id: String(username), name: String(username) }),
})

describeServers("copy of an encrypted cookie", (start) => {
  it("SES-33: is rejected at once with the documented sign-out time per user", async () => {
    const signOutTimes = new Map<string, number>()
    const scope = { signedOutBefore: async (id: string) => signOutTimes.get(id) ?? 0 }
    const { callbacks = {} } = documentedConfig(PAGE, "signedOutBefore(token.sub)", scope)
    const app = await start(configOf({ providers: [byUserId], callbacks }))
    const signedIn = async (username: string) => {
      const browser = app.browser()
      await signIn(browser, "/auth", { username })
      return browser
    }
    const [here, there, other] = [await signedIn("ada"), await signedIn("ada"), await signedIn("bob")]
    for (const browser of [here, there, other]) expect(await isSignedIn(browser)).toBe(true)
    const thief = there.clone()
    signOutTimes.set("ada", Date.now())
    for (const browser of [here, there, thief]) {
      expect([await read(browser), browser.cookie(NAME)]).toEqual([null, undefined])
    }
    expect(await isSignedIn(other)).toBe(true)
    await until(() => Date.now() > (signOutTimes.get("ada") ?? 0))
    expect([await isSignedIn(await signedIn("ada")), await isSignedIn(thief)]).toEqual([true, false])
  })

  /** Starts a site with the documented revocation list, on a set that can fail. */
  async function startWithList(over: Partial<AuthConfig> = {}) {
    const list = new Set<unknown>()
    const broken = { reads: false, writes: false }
    const failIf = (isBroken: boolean) => {
      if (isBroken) throw new Error("the list is down")
    }
    const signedOut = {
      async has(sid: unknown) {
        failIf(broken.reads)
        return list.has(sid)
      },
      async add(sid: unknown) {
        failIf(broken.writes)
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

  it("SES-03: is rejected after a sign-out with the documented revocation list", async () => {
    const { app, list, errors } = await startWithList()
    const [browser, elsewhere] = [app.browser(), app.browser()]
    await signIn(browser)
    await signIn(elsewhere)
    const thief = browser.clone()
    // The thief's copy is renewed and gets another jti.
    expect(await isSignedIn(thief)).toBe(true)
    await read(thief)
    const renewed = thief.cookie(NAME) ?? ""
    const copy = browser.cookie(NAME) ?? ""
    expect(renewed).not.toBe(copy)
    await signOut(browser)
    expect([await isSignedIn(browser), list.size]).toEqual([false, 1])
    for (const value of [copy, renewed])
      for (const path of ["/auth/session", "/me"]) {
        thief.setCookie(NAME, value)
        expect([await read(thief, path), thief.cookie(NAME)]).toEqual([null, undefined])
      }
    thief.setCookie(NAME, renewed)
    const page = await thief.postJson("/auth/session", { csrfToken: await thief.csrf(), data: { sid: randomUUID() } })
    expect([await page.json(), thief.cookie(NAME)]).toEqual([null, undefined])
    expect([await isSignedIn(elsewhere), errors()]).toEqual([true, []])
    await signIn(browser)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it("SES-03: is rejected if it has no sid, and adds nothing to the list", async () => {
    const { app, list } = await startWithList()
    const browser = app.browser()
    const { encode } = await import("../../../lib/jwt.js")
    const secret = String(configOf().secret)
    browser.setCookie(NAME, await encode({ token: { name: "ada", sub: "7" }, secret, salt: NAME }))
    const clone = browser.clone()
    expect(await isSignedIn(browser)).toBe(false)
    await signOut(clone)
    expect(list.size).toBe(0)
  })

  it("SES-03: is answered with 500 while the list cannot be read, and the cookie stays", async () => {
    const { app, broken } = await startWithList()
    const browser = app.browser()
    await signIn(browser)
    broken.reads = true
    for (const path of ["/auth/session", "/me"]) {
      const page = await browser.get(path)
      expect([page.status, page.headers.getSetCookie()]).toEqual([500, []])
    }
    broken.reads = false
    expect(await isSignedIn(browser)).toBe(true)
  })

  it("SES-03: stays valid if the list cannot be written, and the error is logged", async () => {
    const { app, broken, errors } = await startWithList()
    const browser = app.browser()
    await signIn(browser)
    const thief = browser.clone()
    broken.writes = true
    await signOut(browser)
    expect(await isSignedIn(browser)).toBe(false)
    expect(errors()).toMatchObject([{ code: "EventError" }])
    expect(await isSignedIn(thief)).toBe(true)
  })
})

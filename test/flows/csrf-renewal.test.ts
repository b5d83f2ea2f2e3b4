/**
 * The CSRF token is renewed at sign-in and sign-out: a token that another user planted or saw before is of no use after.
 *
 * @module
 */
import express from "express"
import { authMiddleware } from "../../lib/index.js"
import { skipCSRFCheck } from "../../lib/symbols.js"
import { configOf, servers, signIn } from "../express/support/servers.js"
import { describeServers } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { guardProcess } from "./support/guard.js"

guardProcess()

const COOKIE = "authjs.csrf-token"
const signOut = async (browser: Browser, csrfToken: string) => browser.post("/auth/signout", { csrfToken })

describeServers("the CSRF token", (start) => {
  it("SEC-08: from before a sign-in is not valid after it", async () => {
    const browser = (await start(configOf())).browser()
    const before = await browser.csrf()
    await signIn(browser)
    const refused = await signOut(browser, before)
    expect(refused.location).toContain("/auth/signin?error=MissingCSRF")
    const page = await browser.get(refused.location)
    expect(await page.text()).toContain("This page was open for too long")
    expect((await signOut(browser, await browser.csrf())).location).not.toContain("error")
  })

  it("SEC-08: from before a sign-out is not valid after it", async () => {
    const browser = (await start(configOf())).browser()
    await signIn(browser)
    const before = await browser.csrf()
    await signOut(browser, before)
    expect((await signOut(browser, before)).location).toContain("error=MissingCSRF")
  })

  it("SEC-08: that was planted does not outlive a sign-in", async () => {
    const app = await start(configOf())
    const [victim, attacker] = [app.browser(), app.browser()]
    const known = await attacker.csrf()
    victim.setCookie(COOKIE, attacker.cookie(COOKIE) ?? "")
    await signIn(victim)
    expect(await victim.csrf()).not.toBe(known)
  })

  it("SEC-08: stays where no sign-in came of it", async () => {
    const browser = (await start(configOf())).browser()
    const before = await browser.csrf()
    await signIn(browser, "/auth", { password: "wrong" })
    expect(await browser.csrf()).toBe(before)
  })

  it("SEC-08: is not set where it is not checked", async () => {
    const browser = (await start(configOf({ skipCSRFCheck }))).browser()
    await browser.post("/auth/callback/credentials", { username: "ada", password: "right" })
    expect(browser.cookie(COOKIE)).toBeUndefined()
  })
})

describe("after a sign-in", () => {
  const serve = servers()

  it("SEC-08: views and GET /csrf have the same token", async () => {
    const app = express()
    app.use(authMiddleware(configOf()))
    app.get("/form", (_req, res) => void res.send(res.locals["auth"].csrfToken))
    const browser = (await serve(app)).browser()
    await signIn(browser)
    const shown = await (await browser.get("/form")).text()
    expect(shown).toBe(await browser.csrf())
    expect((await signOut(browser, shown)).location).not.toContain("error")
  })
})

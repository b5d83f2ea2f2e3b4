/**
 * The CSRF token is renewed at sign-in and sign-out. A token that an attacker planted or saw before becomes invalid.
 *
 * @module
 */
import express from "express"
import { authMiddleware } from "../../../lib/index.js"
import { skipCSRFCheck } from "../../../lib/symbols.js"
import { configOf, servers, signIn } from "../../express/support/servers.js"
import { describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"

guardProcess()

const COOKIE = "authjs.csrf-token"
const signOut = async (browser: Browser, csrfToken: string) => browser.post("/auth/signout", { csrfToken })

describeServers("The CSRF token", (start) => {
  it("SEC-08: becomes invalid at sign-in", async () => {
    const browser = (await start(configOf())).browser()
    const before = await browser.csrf()
    await signIn(browser)
    const refused = await signOut(browser, before)
    expect(refused.location).toContain("/auth/signin?error=MissingCSRF")
    const page = await browser.get(refused.location)
    expect(await page.text()).toContain("This page was open for too long")
    expect((await signOut(browser, await browser.csrf())).location).not.toContain("error")
  })

  it("SEC-08: becomes invalid at sign-out", async () => {
    const browser = (await start(configOf())).browser()
    await signIn(browser)
    const before = await browser.csrf()
    await signOut(browser, before)
    expect((await signOut(browser, before)).location).toContain("error=MissingCSRF")
  })

  it("SEC-08: is replaced at sign-in if an attacker planted it", async () => {
    const app = await start(configOf())
    const [victim, attacker] = [app.browser(), app.browser()]
    const known = await attacker.csrf()
    victim.setCookie(COOKIE, attacker.cookie(COOKIE) ?? "")
    await signIn(victim)
    expect(await victim.csrf()).not.toBe(known)
  })

  it("SEC-08: stays the same after a failed sign-in", async () => {
    const browser = (await start(configOf())).browser()
    const before = await browser.csrf()
    await signIn(browser, "/auth", { password: "wrong" })
    expect(await browser.csrf()).toBe(before)
  })

  it("SEC-08: is not set with skipCSRFCheck", async () => {
    const browser = (await start(configOf({ skipCSRFCheck }))).browser()
    await browser.post("/auth/callback/credentials", { username: "ada", password: "right" })
    expect(browser.cookie(COOKIE)).toBeUndefined()
  })
})

describe("After a sign-in", () => {
  const serve = servers()

  it("SEC-08: views and GET /csrf return the same CSRF token", async () => {
    const app = express()
    app.use(authMiddleware(configOf()))
    app.get("/form", (_req, res) => void res.send(res.locals["auth"].csrfToken))
    const browser = (await serve(app)).browser()
    await signIn(browser)
    const viewToken = await (await browser.get("/form")).text()
    expect(viewToken).toBe(await browser.csrf())
    expect((await signOut(browser, viewToken)).location).not.toContain("error")
  })
})

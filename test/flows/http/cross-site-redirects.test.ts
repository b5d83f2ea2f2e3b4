/**
 * RED-01: redirects after a sign-in link, a provider sign-in and a guarded page stay on this site.
 *
 * @module
 */
import { requireAuth } from "../../../lib/index.js"
import { configOf } from "../../express/support/servers.js"
import { describeServers, type Handler } from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import { EVIL } from "../support/evil-urls.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, confirmLink, startMailSite } from "../support/mail.js"
import { begin, openCallback, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const ORIGIN = "https://app.test"

/** Expects the redirect, its callbackUrl parameter and the callback URL cookie to be on this site. */
function expectHome(input: string, page: Page, browser: Browser): void {
  const { origin, searchParams } = new URL(page.location)
  expect([input, page.status, origin]).toEqual([input, 302, ORIGIN])
  const kept = browser.cookie("__Secure-authjs.callback-url")
  const next = [searchParams.get("callbackUrl"), kept && decodeURIComponent(kept)]
  for (const address of next) if (address) expect([input, new URL(address, ORIGIN).origin]).toEqual([input, ORIGIN])
}

describeServers("Redirects after a sign-in", (start, stage) => {
  const setting = { origin: ORIGIN }
  // The result does not depend on the server: one stage tries the whole list, the others a part.
  const tried = stage === "Auth()" ? EVIL : EVIL.filter((_, i) => i % 5 === 0)
  const op = useProvider()

  it("RED-01: the redirect after a sign-in link stays on this site", async () => {
    const site = await startMailSite(start, { config: { rateLimit: false }, start: setting })
    for (const [i, callbackUrl] of tried.entries()) {
      const [browser, other, address] = [site.browser(), site.browser(), `p${i}@example.com`]
      await askForLink(browser, address, { callbackUrl })
      const link = site.mail.linkTo(address)
      expect(new URL(new URL(link).searchParams.get("callbackUrl") ?? ORIGIN, ORIGIN).origin).toBe(ORIGIN)
      expectHome(callbackUrl, await confirmLink(other, link), other)
    }
  })

  it("RED-01: the redirect after a sign-in link stays on this site if its callbackUrl was changed", async () => {
    const site = await startMailSite(start, { config: { rateLimit: false }, start: setting })
    for (const [i, callbackUrl] of tried.entries()) {
      const [browser, address] = [site.browser(), `p${i}@example.com`]
      await askForLink(browser, address)
      const link = new URL(site.mail.linkTo(address))
      link.searchParams.set("callbackUrl", callbackUrl)
      const page = await browser.get(link.href)
      if (page.status !== 400) expectHome(callbackUrl, page, browser)
    }
  })

  it("RED-01: the redirect to pages.newUser and its callbackUrl stay on this site", async () => {
    const config = { rateLimit: false as const, pages: { newUser: "/welcome" } }
    const site = await startMailSite(start, { config, start: setting })
    for (const [i, callbackUrl] of tried.entries()) {
      const [browser, address] = [site.browser(), `p${i}@example.com`]
      await askForLink(browser, address, { callbackUrl })
      const page = await browser.get(site.mail.linkTo(address))
      expect(new URL(page.location).pathname).toBe("/welcome")
      expectHome(callbackUrl, page, browser)
    }
  })

  it("RED-01: the redirect after a provider sign-in stays on this site for any callbackUrl in the form and cookie", async () => {
    const { app } = await startSite({ start, stage, op }, { origin: ORIGIN, config: { rateLimit: false } })
    for (const callbackUrl of tried) {
      const browser = app.browser()
      const begun = await begin(browser, { callbackUrl })
      const back = new URL(await op.authorize(begun.location))
      browser.setCookie("__Secure-authjs.callback-url", encodeURIComponent(callbackUrl), { secure: true })
      expectHome(callbackUrl, await openCallback(browser, op, back.href), browser)
    }
  })

  if (stage.startsWith("Express"))
    it("RED-01: the redirect from a guarded page stays on this site for any path", async () => {
      const routes = { routes: (app: { use(handler: Handler): unknown }) => void app.use(requireAuth as Handler) }
      const browser = (await start(configOf(), { ...setting, ...routes })).browser()
      for (const path of [
        "//evil.test/x",
        "///evil.test",
        "/\\evil.test",
        "/%2f%2fevil.test",
        "/x?callbackUrl=//evil.test",
      ]) {
        const page = await browser.get(ORIGIN + path)
        expectHome(path, page, browser)
      }
    })
})

/** The settings of the second factor, and the confirmation of a session with a code. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { endSessions, requireAuth } from "../../../lib/index.js"
import Passkey from "../../../lib/providers/passkey.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import { signInAs } from "../../../lib/testing.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { codeAt, enrol, FACTOR_PATH, recoveryCodesIn, secretIn, submitCode } from "../../support/second-factor.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, mailbox } from "../support/mail.js"
import * as passkeys from "../support/passkeys.js"
import { sessionOf } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const SETUP = `${FACTOR_PATH}?setup=true`
const STEP_MS = 30_000

async function startSite(start: Start, more: Partial<AuthConfig> = {}) {
  const [mail, adapter, time] = [mailbox(), MemoryAdapter(), { now: Date.now() }]
  const changes: unknown[] = []
  const config: AuthConfig = {
    ...{ secret: TEST_SECRET, logger: recordingLogger().logger, providers: [mail.provider], adapter, rateLimit: false },
    ...{ session: { strategy: "jwt" }, clock: () => time.now, secondFactor: {} },
    events: { secondFactor: ({ change }) => void changes.push(change) },
    ...more,
  }
  const app = await start(config, {
    routes(server) {
      server.use("/admin", requireAuth({ factors: 2 }))
      server.use("/admin", (_req, res) => res.end("in"))
    },
  })
  return { app, config, mail, adapter, time, changes }
}

type Site = Awaited<ReturnType<typeof startSite>>

async function signIn(site: Site, browser: Browser = site.app.browser()): Promise<Browser> {
  await askForLink(browser, ADA)
  await browser.get(site.mail.linkTo(ADA))
  return browser
}

/** Signs in, and sets up an authenticator app in the settings. */
async function signInWithFactor(site: Site) {
  const browser = await signIn(site)
  const enrolled = await enrol(browser, { path: SETUP, timeMs: site.time.now })
  site.time.now += STEP_MS
  return { browser, ...enrolled }
}

const change = async (browser: Browser, fields: Record<string, string>) =>
  browser.post(FACTOR_PATH, { csrfToken: await browser.csrf(), ...fields })

describeServer("The settings of the second factor", "Express 5", (start) => {
  it("offer the setup of an authenticator app, which ends the user's other sessions", async () => {
    const site = await startSite(start)
    const other = await signIn(site)
    const browser = await signIn(site)
    expect(await (await browser.get(FACTOR_PATH)).text()).toContain("You have no second factor yet.")
    const { recoveryCodes } = await enrol(browser, { path: SETUP, timeMs: site.time.now })
    expect([recoveryCodes.length, site.changes]).toEqual([10, ["enrolled"]])
    expect([await sessionOf(browser), await sessionOf(other)]).toEqual([expect.anything(), null])
    const html = await (await browser.get(FACTOR_PATH)).text()
    expect(html).toContain("Recovery codes left: 10")
    // The session has two factors now.
    expect(await (await browser.get("/admin")).text()).toBe("in")
  })

  it("require a recent authentication", async () => {
    const site = await startSite(start)
    const browser = await signIn(site)
    site.time.now += 601_000
    const page = await browser.get(SETUP)
    expect(page.location).toContain("/auth/reauthenticate?")
    expect((await change(browser, { do: "enrol", setup: "", code: "1" })).location).toContain("/auth/reauthenticate?")
  })

  it("can be changed only with the second factor if the user has one", async () => {
    const site = await startSite(start)
    await signInWithFactor(site)
    // The session of a thief who has the first factor only, for example from before the setup.
    const { headers } = await signInAs(site.app.origin, { email: ADA }, { config: site.config })
    const thief = site.app.browser()
    for (const pair of headers.cookie.split("; ")) thief.setCookie(...(pair.split("=", 2) as [string, string]))
    expect(await sessionOf(thief)).toMatchObject({ user: { email: ADA } })
    for (const attempt of ["remove", "renew-codes", "enrol"]) {
      const page = await change(thief, { do: attempt })
      expect([attempt, page.location]).toEqual([attempt, expect.stringMatching(/reauthenticate\?.*factors=2/)])
    }
    expect((await thief.get(SETUP)).location).toMatch(/reauthenticate\?.*factors=2/)
    expect(site.changes).toEqual(["enrolled"])
  })

  it("can be changed only with the passkey if the user has one", async () => {
    const site = await startSite(start, { providers: [mailbox().provider, Passkey] })
    const owner = site.app.browser()
    await passkeys.register(owner, site.app.origin, { email: ADA })
    const { headers } = await signInAs(site.app.origin, { email: ADA }, { config: site.config })
    const thief = site.app.browser()
    for (const pair of headers.cookie.split("; ")) thief.setCookie(...(pair.split("=", 2) as [string, string]))
    expect((await change(thief, { do: "enrol", setup: "", code: "1" })).location).toContain("/auth/reauthenticate?")
    expect((await change(owner, { do: "enrol", setup: "", code: "1" })).status).toBe(200)
  })

  it("do not replace the recovery codes if the setup is submitted again", async () => {
    const site = await startSite(start)
    const browser = await signIn(site)
    const html = await (await browser.get(SETUP)).text()
    const form = browser.form(html, "second-factor")
    const code = codeAt(secretIn(html), site.time.now)
    const first = recoveryCodesIn(await (await browser.submit(form, { code })).text())
    expect((await browser.submit(form, { code })).location).toBe(`${site.app.origin}${FACTOR_PATH}`)
    site.time.now += STEP_MS
    const second = await signIn(site)
    await submitCode(second, { recoveryCode: first[0] ?? "" })
    expect(await sessionOf(second)).toMatchObject({ user: { email: ADA } })
  })

  it("keep the previous app if the session ends while another app is stored", async () => {
    const memory = MemoryStore()
    let endSession = async () => {}
    const set: typeof memory.set = async (kind, ...rest) => {
      const version = await memory.set(kind, ...rest)
      if (kind === "factor") await endSession()
      return version
    }
    const site = await startSite(start, { store: { ...memory, set } })
    const { browser, secret } = await signInWithFactor(site)
    const { id } = (await site.adapter.getUserByEmail(ADA)) ?? {}
    endSession = () => endSessions(site.config, id)
    const { page } = await enrol(browser, { path: SETUP, timeMs: site.time.now })
    expect([page.location, site.changes]).toEqual([expect.stringContaining("/auth/signin"), ["enrolled"]])
    endSession = async () => {}
    const later = await signIn(site)
    expect(await sessionOf(later)).toBeNull()
    await submitCode(later, { code: codeAt(secret, site.time.now) })
    expect(await sessionOf(later)).toMatchObject({ user: { email: ADA } })
  })

  it("can replace the recovery codes and turn off the second factor", async () => {
    const site = await startSite(start)
    const { browser, recoveryCodes } = await signInWithFactor(site)
    const renewed = recoveryCodesIn(await (await change(browser, { do: "renew-codes" })).text())
    expect([renewed.length, renewed.filter((code) => recoveryCodes.includes(code))]).toEqual([10, []])
    const second = await signIn(site)
    const old = await submitCode(second, { recoveryCode: recoveryCodes[0] ?? "" })
    expect(old.location).toContain("error=SecondFactorRecoveryCode")
    const refused = await (await second.get(old.location)).text()
    expect(refused).toMatch(/<details open>[\s\S]*name="recoveryCode"[^>]*aria-invalid="true"/)
    await submitCode(second, { recoveryCode: renewed[0] ?? "" })
    await change(second, { do: "remove" })
    expect(site.changes).toEqual(["enrolled", "recovery-codes-renewed", "recovery-code-used", "removed"])
    expect(await sessionOf(await signIn(site))).toMatchObject({ user: { email: ADA } })
  })

  it("can't turn off a second factor that the application requires", async () => {
    const site = await startSite(start, { secondFactor: { required: () => true } })
    const browser = await signIn(site)
    await enrol(browser, { timeMs: site.time.now })
    expect(await (await browser.get(FACTOR_PATH)).text()).not.toContain("Turn off")
    await change(browser, { do: "remove" })
    expect(site.changes).toEqual(["enrolled"])
    expect((await (await signIn(site)).get(FACTOR_PATH)).status).toBe(200)
  })

  it("reject unknown changes, including the names of members of Object.prototype", async () => {
    const site = await startSite(start)
    const browser = await signIn(site)
    for (const name of ["", "end", "constructor", "__proto__", "toString"]) {
      expect([name, (await change(browser, { do: name })).status]).toEqual([name, 400])
      const page = await browser.post("/auth/sessions", { csrfToken: await browser.csrf(), do: name, id: "1" })
      expect([name, page.status]).toEqual([name, name === "end" ? 302 : 400])
    }
  })

  it("redirect visitors to the sign-in page, and do not exist without the secondFactor option", async () => {
    const site = await startSite(start)
    expect((await site.app.browser().get(FACTOR_PATH)).location).toContain("/auth/signin?")
    const without = await startSite(start, { secondFactor: undefined })
    expect((await without.app.browser().get(FACTOR_PATH)).status).toBe(404)
  })
})

describeServer("A page that requires two factors", "Express 5", (start) => {
  it("leads a user without a second factor to the setup, and back", async () => {
    const site = await startSite(start)
    const browser = await signIn(site)
    const stepUp = await browser.get("/admin")
    expect(stepUp.location).toContain("/auth/reauthenticate?")
    const html = await (await browser.get(stepUp.location)).text()
    const [, link = ""] = /href="([^"]*second-factor[^"]*)"/.exec(html) ?? []
    const path = link.replaceAll("&amp;", "&")
    expect(path).toContain("setup=true")
    const { html: codes } = await enrol(browser, { path, timeMs: site.time.now })
    expect(codes).toContain(`href="${site.app.origin}/admin"`)
    expect(await (await browser.get("/admin")).text()).toBe("in")
  })

  it("opens after a code, which confirms the session and does not switch the user", async () => {
    const site = await startSite(start)
    const { secret, browser } = await signInWithFactor(site)
    site.time.now += 601_000
    const page = await (await browser.get(`/auth/reauthenticate?max_age=600&callbackUrl=/admin`)).text()
    const [, link = ""] = /href="([^"]*second-factor[^"]*)"/.exec(page) ?? []
    const challenge = await (await browser.get(link.replaceAll("&amp;", "&"))).text()
    const form = browser.form(challenge, "second-factor")
    const wrong = await browser.submit(form, { code: "000000" })
    expect(wrong.location).toContain("reauthenticate=true")
    const before = await sessionOf(browser)
    const done = await browser.submit(form, { code: codeAt(secret, site.time.now) })
    expect(done.location).toBe(`${site.app.origin}/admin`)
    expect((await sessionOf(browser))?.user).toEqual(before?.user)
    // The settings accept the session again.
    expect(await (await browser.get(SETUP)).text()).toContain("<svg")
  })
})

/** The default name of a new passkey, by which the user recognizes it. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServers, type RunningApp } from "../../support/apps.js"
import { visibleText } from "../../support/html.js"
import { guardProcess } from "../support/guard.js"
import { register, startPasskeySite } from "../support/passkeys.js"

guardProcess()

const GOOGLE = "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4"
const LONG = "2772ce93-eb4b-4090-8b73-330f48477d73"
const TODAY = Date.parse("2026-11-23T12:00:00Z")
const MOZILLA = "Mozilla/5.0"
const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0"
const WINDOWS = "(Windows NT 10.0; Win64; x64)"
const CHROME_ON_WINDOWS = `${MOZILLA} ${WINDOWS} ${CHROME} Safari/537.36`

describeServers("name of a new passkey", (start) => {
  const clock = () => TODAY

  async function registerFrom(app: RunningApp, { agent = "", language = "en", aaguid = "" } = {}) {
    const browser = app.browser({ headers: { "user-agent": agent, "accept-language": language } })
    const behaviour = { ...(aaguid && { aaguid }) }
    await register(browser, app.origin, { email: "ada@example.com", behaviour })
    return browser
  }

  async function readName(
    visit: { agent?: string; language?: string; aaguid?: string },
    config: Partial<AuthConfig> = {},
  ) {
    const { app, adapter } = await startPasskeySite(start, { clock, ...config })
    await registerFrom(app, visit)
    const user = await adapter.getUserByEmail("ada@example.com")
    const [passkey] = await adapter.listAuthenticatorsByUserId(String(user?.id))
    return passkey?.name ?? null
  }

  it("has the authenticator, the browser, the platform and the date", async () => {
    const { app } = await startPasskeySite(start, { clock })
    const browser = await registerFrom(app, { agent: CHROME_ON_WINDOWS, aaguid: GOOGLE })
    const text = visibleText(await (await browser.get("/auth/passkeys")).text())
    expect(text).toContain("Google Password Manager · Chrome on Windows · Nov 23, 2026")
  })

  it("is in the user's language", async () => {
    const visit = { agent: CHROME_ON_WINDOWS, aaguid: GOOGLE, language: "de" }
    expect(await readName(visit)).toBe("Google Password Manager · Chrome auf Windows · 23.11.2026")
  })

  it.each([
    ["Edge on Windows", `${MOZILLA} ${WINDOWS} ${CHROME} Safari/537.36 Edg/140.0.0.0`],
    ["Opera on Linux", `${MOZILLA} (X11; Linux x86_64) ${CHROME} Safari/537.36 OPR/120.0.0.0`],
    ["Chrome on Android", `${MOZILLA} (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`],
    [
      "Samsung Internet on Android",
      `${MOZILLA} (Linux; Android 10; K) AppleWebKit/537.36 SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    ],
    ["Chrome on ChromeOS", `${MOZILLA} (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`],
    ["Firefox on Linux", `${MOZILLA} (X11; Ubuntu; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0`],
    [
      "Safari on macOS",
      `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15`,
    ],
    [
      "Safari on iPhone",
      `${MOZILLA} (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/18.6 Mobile/15E148 Safari/604.1`,
    ],
    [
      "Chrome on iPad",
      `${MOZILLA} (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 CriOS/140.0 Mobile/15E148 Safari/604.1`,
    ],
    [
      "Firefox on iPhone",
      `${MOZILLA} (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 FxiOS/143.0 Mobile/15E148 Safari/605.1.15`,
    ],
    [
      "Edge on iPhone",
      `${MOZILLA} (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 EdgiOS/140.0 Mobile/15E148 Safari/605.1.15`,
    ],
  ])("is %s and the date if the authenticator is unknown", async (device, agent) => {
    expect(await readName({ agent })).toBe(`${device} · Nov 23, 2026`)
  })

  it.each([
    ["only the browser is known", { agent: "Firefox/143.0" }, "Firefox · Nov 23, 2026"],
    ["only the platform is known", { agent: "an unknown browser (Windows NT 10.0)" }, "Windows · Nov 23, 2026"],
    ["the User-Agent is empty", { aaguid: GOOGLE }, "Google Password Manager · Nov 23, 2026"],
    ["nothing is known", { agent: "<script>alert(1)</script>" }, null],
    [
      "the whole name is too long",
      { agent: CHROME_ON_WINDOWS, aaguid: LONG },
      "Security Key NFC by Yubico - Enterprise Edition Preview",
    ],
  ])("has the available parts when %s", async (_, visit, expected) => {
    expect(await readName(visit)).toBe(expected)
  })

  it("is replaced when the user renames the passkey", async () => {
    const { app } = await startPasskeySite(start, { clock })
    const browser = await registerFrom(app, { agent: CHROME_ON_WINDOWS })
    const html = await (await browser.get("/auth/passkeys")).text()
    await browser.submit(browser.form(html, "/passkeys"), { name: "Laptop" })
    const text = visibleText(await (await browser.get("/auth/passkeys")).text())
    expect([text.includes("Laptop"), text.includes("Chrome")]).toEqual([true, false])
  })

  it("is missing if the adapter fails to store it, but the passkey is stored", async () => {
    const { transaction: _, ...adapter } = MemoryAdapter()
    const renameAuthenticator = () => Promise.reject(new Error("the table has no such column"))
    const site = await startPasskeySite(start, { clock, adapter: { ...adapter, renameAuthenticator } })
    const browser = await registerFrom(site.app, { agent: CHROME_ON_WINDOWS })
    expect(visibleText(await (await browser.get("/auth/passkeys")).text())).toContain("Unnamed passkey")
    expect(site.records.map(({ error }) => error?.message)).toContain("adapter.renameAuthenticator failed")
  })

  it("is not passed to an adapter without renameAuthenticator", async () => {
    const { renameAuthenticator: _, transaction: __, ...adapter } = MemoryAdapter()
    const created: object[] = []
    const createAuthenticator: typeof adapter.createAuthenticator = (passkey) => {
      created.push(passkey)
      return adapter.createAuthenticator(passkey)
    }
    const { app } = await startPasskeySite(start, { clock, adapter: { ...adapter, createAuthenticator } })
    await registerFrom(app, { agent: CHROME_ON_WINDOWS, aaguid: GOOGLE })
    expect(created).toEqual([expect.not.objectContaining({ name: expect.anything() })])
  })
})

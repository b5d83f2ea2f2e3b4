/**
 * `session.hostPrefix`: a cookie name that no other host can set, and the migration of sessions under the former name.
 *
 * @module
 */
import Credentials from "../../../lib/providers/credentials.js"
import { createRuntime } from "../../../lib/runtime/runtime.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { memoryStore } from "../support/memory-adapter.js"

guardProcess()

const ORIGIN = "https://app.test"
const FORMER = "__Secure-authjs.session-token"
const NAME = "__Host-authjs.session-token"

const USERS: Readonly<Record<string, string>> = { ada: "7", mallory: "8" }
const byName = Credentials({
  credentials: { username: {} },
  authorize: ({ username }) => ({ id: USERS[String(username)] ?? "9", name: String(username) }),
})

function database(): Partial<AuthConfig> {
  const store = memoryStore()
  for (const [name, id] of Object.entries(USERS))
    store.users.set(id, { id, name, email: `${name}@x.test`, emailVerified: null })
  return { adapter: store.adapter }
}

const longToken: AuthConfig["callbacks"] = { jwt: ({ token }) => ({ ...token, filler: "x".repeat(4_500) }) }
const KINDS: [string, () => Partial<AuthConfig>][] = [
  ["an encrypted cookie", () => ({})],
  ["an encrypted cookie in chunks", () => ({ callbacks: longToken })],
  ["a database", database],
]

const sessionCookies = (browser: Browser) =>
  browser
    .cookies("/")
    .map(({ name }) => name)
    .filter((name) => name.includes("session-token"))
const readName = async (browser: Browser, path = "/me") => (await (await browser.get(path)).json())?.user?.name

describeServers("session.hostPrefix", (start) => {
  /** The same site before and after the option was set, with one store. */
  async function startSites(kind: () => Partial<AuthConfig>, session: AuthConfig["session"] = {}) {
    const shared = { ...kind(), providers: [byName], logger: recordingLogger().logger }
    const before = await start(configOf({ ...shared, session }), { origin: ORIGIN })
    const after = await start(configOf({ ...shared, session: { ...session, hostPrefix: true } }), { origin: ORIGIN })
    /** Copies the browser's cookies to a browser at the later site. */
    function move(browser: Browser): Browser {
      const moved = after.browser()
      for (const cookie of browser.jar.all()) moved.jar.put(cookie)
      return moved
    }
    return { before, after, move }
  }

  it.each(KINDS)("SEC-08: moves a session to the new name when it is read (session in %s)", async (_name, kind) => {
    const { before, move } = await startSites(kind)
    const old = before.browser()
    await signIn(old)
    const browser = move(old)
    expect(sessionCookies(browser).every((name) => name.startsWith(FORMER))).toBe(true)
    expect(await readName(browser)).toBe("ada")
    const moved = sessionCookies(browser)
    expect(moved.length).toBeGreaterThan(0)
    expect(moved.every((name) => name.startsWith(NAME))).toBe(true)
    expect(await readName(browser)).toBe("ada")
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect([sessionCookies(browser), await readName(browser)]).toEqual([[], undefined])
  })

  it.each(KINDS)("SEC-08: signs out a session under the former name (session in %s)", async (_name, kind) => {
    const { before, move } = await startSites(kind)
    const old = before.browser()
    await signIn(old)
    const browser = move(old)
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect([sessionCookies(browser), await readName(browser)]).toEqual([[], undefined])
    if (kind === database) expect(await readName(old)).toBeUndefined()
  })

  it.each(KINDS)(
    "SEC-08: a session that is planted under the former name changes nothing (session in %s)",
    async (_name, kind) => {
      const { before, after } = await startSites(kind)
      const [attacker, victim] = [before.browser(), after.browser()]
      await signIn(attacker, "/auth", { username: "mallory" })
      await signIn(victim)
      for (const { name, value } of attacker.cookies().filter(({ name }) => name.startsWith(FORMER)))
        for (const path of ["/me", "/auth"]) victim.setCookie(name, value, { path, secure: true })
      for (const path of ["/me", "/auth/session"]) expect(await readName(victim, path)).toBe("ada")
    },
  )

  it.each(KINDS)(
    "SEC-08: a session that was created with the option is not valid under the former name (session in %s)",
    async (_name, kind) => {
      const { after } = await startSites(kind)
      const [attacker, victim] = [after.browser(), after.browser()]
      await signIn(attacker, "/auth", { username: "mallory" })
      expect(await readName(attacker)).toBe("mallory")
      for (const { name, value } of attacker.cookies().filter(({ name }) => name.startsWith(NAME)))
        victim.setCookie(name.replace(NAME, FORMER), value, { secure: true })
      expect(await readName(victim)).toBeUndefined()
    },
  )

  it("SEC-08: does not change the name over http", async () => {
    const app = await start(configOf({ session: { hostPrefix: true } }))
    const browser = app.browser()
    await signIn(browser)
    expect(sessionCookies(browser)).toEqual(["authjs.session-token"])
  })

  it("SEC-08: moves a session with a custom cookie name", async () => {
    const cookies = { sessionToken: { name: "__Secure-shop" } }
    const { before, move } = await startSites(() => ({ cookies }))
    const old = before.browser()
    await signIn(old)
    const browser = move(old)
    expect(await readName(browser)).toBe("ada")
    expect(browser.cookies("/").map(({ name }) => name)).toContain("__Host-shop")
  })
})

it("SEC-08: a __Host- name with a domain is reported as a configuration problem", () => {
  const cookies = { sessionToken: { options: { domain: "app.test" } } }
  const { problems } = createRuntime(configOf({ cookies, session: { hostPrefix: true } }), {})
  expect(problems.map(({ path, code }) => [path, code])).toEqual([["cookies.sessionToken.options", "option-invalid"]])
})

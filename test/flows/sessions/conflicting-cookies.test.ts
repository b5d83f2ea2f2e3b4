/**
 * A sibling host can set a session cookie of its own for the whole domain or for a longer path. The request then has
 * sessions of two users, and nothing in it shows which one this site has set.
 *
 * @module
 */
import { encode, getToken } from "../../../lib/jwt.js"
import Credentials from "../../../lib/providers/credentials.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { memoryStore } from "../support/memory-adapter.js"
import { signIn as signInAt, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const NAME = "authjs.session-token"
const PATHS = ["/auth/session", "/me"]

/** Two users, who sign in by name. */
const USERS: Readonly<Record<string, string>> = { ada: "7", mallory: "8" }
const byName = Credentials({
  credentials: { username: {} },
  authorize: ({ username }) => ({ id: USERS[String(username)] ?? "9", name: String(username) }),
})

const read = async (browser: Browser, path: string) => (await browser.get(path)).json()
const readCookie = (browser: Browser, name = NAME) => browser.cookie(name) ?? ""

function database(): Partial<AuthConfig> {
  const store = memoryStore()
  store.users.set("7", { id: "7", name: "ada", email: "a@x.test", emailVerified: null })
  store.users.set("8", { id: "8", name: "mallory", email: "m@x.test", emailVerified: null })
  return { adapter: store.adapter }
}

const KINDS: [string, () => Partial<AuthConfig>][] = [
  ["an encrypted cookie", () => ({})],
  ["a database", database],
]

describeServers("conflicting session cookies", (start, stage) => {
  async function victimAndAttacker(kind: () => Partial<AuthConfig>) {
    const { logger, records } = recordingLogger()
    const app = await start(configOf({ ...kind(), providers: [byName], logger }))
    const [victim, attacker] = [app.browser(), app.browser()]
    await signIn(victim)
    await signIn(attacker, "/auth", { username: "mallory" })
    records.length = 0
    const conflicts = () => records.filter(({ code }) => code === "session-cookies-conflict")
    return { victim, attacker, conflicts }
  }

  it.each(KINDS)(
    "SEC-08: a planted cookie of another user results in no session (session in %s)",
    async (_name, kind) => {
      const { victim, attacker, conflicts } = await victimAndAttacker(kind)
      expect(await read(attacker, "/me")).toMatchObject({ user: { name: "mallory" } })
      for (const path of PATHS) victim.setCookie(NAME, readCookie(attacker), { path })
      const before = readCookie(victim.clone())
      for (const path of PATHS) {
        const page = await victim.get(path)
        expect([path, await page.json(), page.headers.getSetCookie()]).toEqual([path, null, []])
      }
      expect(readCookie(victim)).toBe(before)
      expect(conflicts().length).toBe(PATHS.length)
    },
  )

  it.each(KINDS)("SEC-08: a second cookie of the same user changes nothing (session in %s)", async (_name, kind) => {
    const { victim, conflicts } = await victimAndAttacker(kind)
    const otherBrowser = victim.clone()
    await signIn(otherBrowser)
    victim.setCookie(NAME, readCookie(otherBrowser), { path: "/me" })
    expect(await read(victim, "/me")).toMatchObject({ user: { name: "ada" } })
    expect(conflicts()).toEqual([])
  })

  it.each([
    ["at all auth paths", "/auth"],
    ["at the start of the sign-in", "/auth/signin"],
    ["at the callback", "/auth/callback"],
  ])("SEC-08: links no account to the attacker or the victim if the cookie is planted %s", async (_name, path) => {
    const store = memoryStore()
    for (const [name, id] of Object.entries(USERS))
      store.users.set(id, { id, name, email: `${name}@x.test`, emailVerified: null })
    const config = { adapter: store.adapter, session: { strategy: "jwt" as const } }
    const { app } = await startSite({ start, stage, op }, { providers: [byName, op.oidc()], sessions: "jwt", config })
    const [victim, attacker] = [app.browser(), app.browser()]
    await signIn(victim)
    await signIn(attacker, "/auth", { username: "mallory" })
    victim.setCookie(NAME, readCookie(attacker), { path })
    await signInAt(victim, op)
    expect([...store.accounts].map(({ userId }) => userId)).toEqual([expect.not.stringMatching(/^[78]$/)])
  })

  it("SEC-08: more values than the server looks up also result in no session", async () => {
    const { victim, attacker, conflicts } = await victimAndAttacker(database)
    const planted = [readCookie(attacker), "a", "b", "c", readCookie(victim)]
    const cookie = planted.map((token) => `${NAME}=${token}`).join("; ")
    const page = await victim.clone().get("/me", { headers: { cookie } })
    expect([await page.json(), conflicts().length]).toEqual([null, 1])
  })
})

it("SEC-08: getToken returns null for cookies of two users", async () => {
  const seal = (sub: string) => encode({ token: { sub }, secret: TEST_SECRET, salt: NAME })
  const cookie = `${NAME}=${await seal("8")}; ${NAME}=${await seal("7")}`
  expect(await getToken({ req: { headers: { cookie } }, secret: TEST_SECRET })).toBeNull()
})

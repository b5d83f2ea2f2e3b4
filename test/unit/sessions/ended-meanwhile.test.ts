/** Sessions that end, or whose request is abandoned, while they are read or created. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { createCookieSet } from "../../../lib/http/cookies.js"
import { createRuntime } from "../../../lib/runtime/runtime.js"
import type { SessionCookies, SessionStrategy } from "../../../lib/sessions/session.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf } from "../../express/support/servers.js"
import { until } from "../../support/wait.js"

const DAY = 24 * 3_600_000

const startProcess = (config: Partial<AuthConfig>): SessionStrategy => createRuntime(configOf(config), {}).sessions

const NO_SESSION: SessionCookies = { cookies: {}, cookieSet: createCookieSet(false) }

const createSession = (
  sessions: SessionStrategy,
  browser: SessionCookies,
  id = "7",
  { isConnection = false }: { readonly isConnection?: boolean } = {},
) =>
  sessions.create(
    {
      isConnection,
      user: { id },
      account: { provider: "p", providerAccountId: "1", type: "oidc" },
      authentication: { id: "s".repeat(22), owner: id, provider: "p", method: "oidc", amr: [] },
    },
    browser,
  )

describe("a database session", () => {
  it("is refused if it ended while another request extended it", async () => {
    const time = { now: Date.now() }
    const [adapter, store] = [MemoryAdapter(), MemoryStore()]
    const user = await adapter.createUser({ id: "", email: "ada@example.com", emailVerified: null })
    const shared = { store, session: { strategy: "database" as const }, clock: () => time.now }
    let extend = () => {}
    const updateSession: typeof adapter.updateSession = async (session) => {
      await new Promise<void>((resolve) => (extend = resolve))
      return adapter.updateSession(session)
    }
    const sessions = startProcess({ ...shared, adapter: { ...adapter, updateSession } })
    const other = startProcess({ ...shared, adapter })
    const { cookies } = await createSession(sessions, NO_SESSION, user.id)
    const token = cookies.flatMap((change) => ("value" in change ? [change.value] : []))[0]
    const browser = { ...NO_SESSION, cookies: { "authjs.session-token": token } }
    time.now += 2 * DAY
    const reads = [sessions.read(browser, { mode: "read" }), sessions.read(browser, { mode: "read" })]
    await new Promise((resolve) => setTimeout(resolve, 50))
    await other.registry?.end("s".repeat(22))
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    reads.push(sessions.read(browser, { mode: "read" }))
    extend()
    expect((await Promise.all(reads)).map(({ session }) => session)).toEqual([null, null, null])
  })
})

describe("a database session whose user connects an account", () => {
  it("is deleted by its id, even if the old cookie was used before its row was deleted", async () => {
    const time = { now: Date.now() }
    const [adapter, store] = [MemoryAdapter(), MemoryStore()]
    const user = await adapter.createUser({ id: "", email: "ada@example.com", emailVerified: null })
    const shared = { store, session: { strategy: "database" as const }, clock: () => time.now }
    const other = startProcess({ ...shared, adapter })
    const tokenOf = ({ cookies }: Awaited<ReturnType<typeof createSession>>) =>
      cookies.flatMap((change) => ("value" in change ? [change.value] : []))[0] ?? ""
    const old = tokenOf(await createSession(other, NO_SESSION, user.id))
    const browser = { ...NO_SESSION, cookies: { "authjs.session-token": old } }
    time.now += 10 * 60_000
    const deleteSession: typeof adapter.deleteSession = async (token) => {
      const isUsed = (await other.read(browser, { mode: "read" })).session !== null
      const registered = () => other.registry?.find("s".repeat(22))
      await until(async () => isUsed && (await registered())?.lastSeenAt === time.now)
      await adapter.deleteSession(token)
    }
    const sessions = startProcess({ ...shared, adapter: { ...adapter, deleteSession } })
    const connected = tokenOf(await createSession(sessions, browser, user.id, { isConnection: true }))
    expect((await adapter.getSessionAndUser(connected))?.user.id).toBe(user.id)
    await other.registry?.end("s".repeat(22))
    expect(await adapter.getSessionAndUser(connected)).toBeNull()
  })

  it("stays valid if the request was abandoned while the new token was recorded", async () => {
    const [adapter, store] = [MemoryAdapter(), MemoryStore()]
    const user = await adapter.createUser({ id: "", email: "ada@example.com", emailVerified: null })
    const { cookies } = await createSession(startProcess({ adapter, store }), NO_SESSION, user.id)
    const old = cookies.flatMap((change) => ("value" in change ? [change.value] : []))[0] ?? ""
    const abort = new AbortController()
    const set: typeof store.set = async (kind, ...rest) => {
      if (kind === "session") abort.abort(new Error("too late"))
      return store.set(kind, ...rest)
    }
    const browser = { ...NO_SESSION, cookies: { "authjs.session-token": old }, signal: abort.signal }
    const created: string[] = []
    const create: typeof adapter.createSession = (session) => {
      created.push(session.sessionToken)
      return adapter.createSession(session)
    }
    const connecting = startProcess({ adapter: { ...adapter, createSession: create }, store: { ...store, set } })
    await expect(createSession(connecting, browser, user.id, { isConnection: true })).rejects.toThrow("too late")
    const later = startProcess({ adapter, store })
    expect(await later.read(browser, { mode: "read" })).toMatchObject({ session: { user: { email: user.email } } })
    expect(await later.authentication(browser)).toMatchObject({ owner: user.id })
    expect(await Promise.all(created.map((token) => adapter.getSessionAndUser(token)))).toEqual([null])
  })
})

describe.each(["jwt", "database"] as const)("a sign-in with the strategy %s", (strategy) => {
  it("leaves no session if its request was abandoned while the session was recorded", async () => {
    const [adapter, store] = [MemoryAdapter(), MemoryStore()]
    const user = await adapter.createUser({ id: "", email: "ada@example.com", emailVerified: null })
    const abort = new AbortController()
    const set: typeof store.set = async (kind, ...rest) => {
      if (kind === "session") abort.abort(new Error("too late"))
      return store.set(kind, ...rest)
    }
    const sessions = startProcess({ adapter, store: { ...store, set }, session: { strategy } })
    const browser = { ...NO_SESSION, signal: abort.signal }
    await expect(createSession(sessions, browser, user.id)).rejects.toThrow("too late")
    await until(async () => (await sessions.registry?.list({ owner: user.id }))?.length === 0)
  })
})

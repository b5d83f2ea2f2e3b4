/**
 * SES-33: revoking the sessions of a user in all browsers.
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import type { Adapter, AdapterUser } from "../../../lib/adapters/adapter.js"
import { endSessions, requireAuth } from "../../../lib/index.js"
import Credentials from "../../../lib/providers/credentials.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServer, describeServers, recordingLogger, type Start, type TestApp } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { describeStores, type OpenStore } from "../../support/stores.js"
import { until } from "../../support/wait.js"
import { runDocumented } from "../support/documented.js"
import { guardProcess } from "../support/guard.js"
import { type MemoryStore, memoryStore, ownMethods } from "../support/memory-adapter.js"

guardProcess()

const NAME = "authjs.session-token"
const DAY = 24 * 60 * 60 * 1000
const PAGE = "docs/sessions.md"
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()
const isSignedIn = async (browser: Browser): Promise<boolean> => (await read(browser, "/me")) !== null
const times = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make))

/** Signs in the user whose id is given as the user name. */
const byUserId = Credentials({
  credentials: { username: {}, password: {} },
  authorize: ({ username }) => ({ id: String(username), name: String(username) }),
})

describeStores("SES-33: endSessions", (store) => {
  describeServer("in a store", "Express 5", (start) => {
    const time = { now: Date.now() }
    let opened: OpenStore
    beforeEach(async () => {
      time.now = Date.now()
      opened = await store.create({ now: () => time.now })
    })
    afterEach(() => opened.close())

    async function createSite() {
      const { adapter } = opened
      const newUser = (name: string) =>
        adapter.createUser({ id: "", name, email: `${name}@x.test`, emailVerified: null })
      const [ada, bob] = [await newUser("ada"), await newUser("bob")]
      const config = configOf({ adapter, providers: [byUserId], clock: () => time.now, rateLimit: false })
      const app = await start(config)
      const signInUser = async ({ id }: AdapterUser) => {
        const browser = app.browser({ now: () => time.now })
        await signIn(browser, "/auth", { username: id })
        return browser
      }
      return { ada, bob, config, signInUser }
    }

    it("SES-33: ends the sessions in every browser at once and keeps those of other users", async () => {
      const { ada, bob, config, signInUser } = await createSite()
      const browsers = await times(3, () => signInUser(ada))
      const other = await signInUser(bob)
      for (const browser of [...browsers, other]) expect(await isSignedIn(browser)).toBe(true)
      await endSessions(config, ada.id)
      for (const browser of browsers) expect([await read(browser), browser.cookie(NAME)]).toEqual([null, undefined])
      expect([await isSignedIn(other), (await opened.counts()).sessions]).toEqual([true, 1])
      expect(await isSignedIn(await signInUser(ada))).toBe(true)
      expect((await opened.counts()).users).toBe(2)
    })

    it("SES-33: ends a session that is read concurrently", async () => {
      const { ada, config, signInUser } = await createSite()
      const browser = await signInUser(ada)
      // The session is due: each read extends it.
      time.now += 2 * DAY
      const reads = times(10, () => read(browser.clone(), "/me"))
      await Promise.all([reads, endSessions(config, ada.id)])
      expect([await isSignedIn(browser), (await opened.counts()).sessions]).toEqual([false, 0])
    })

    it("SES-33: accepts an unknown user and a user without sessions, and ends no other session", async () => {
      const { ada, bob, config, signInUser } = await createSite()
      const browser = await signInUser(ada)
      for (const id of [bob.id, randomUUID(), "%", "*", "' OR 1=1 --", `${ada.id} `, `${ada.id}%`])
        await endSessions(config, id)
      expect(await isSignedIn(browser)).toBe(true)
    })
  })
})

/** Starts an application with the users Ada and Bob in memory. `over` replaces methods of its adapter. */
async function startWithAdapter(
  start: Start,
  store: MemoryStore,
  over: Partial<Adapter> = {},
  more: Partial<AuthConfig> = {},
) {
  for (const name of ["ada", "bob"])
    store.users.set(name, { id: name, name, email: `${name}@x.test`, emailVerified: null })
  const adapter = { ...store.adapter, ...over }
  const { logger, records } = recordingLogger()
  const config = configOf({ adapter, providers: [byUserId], rateLimit: false, logger, ...more })
  const app = await start(config, { routes: (server) => void routes(server, config) })
  const signInUser = async (username: string) => {
    const browser = app.browser()
    await signIn(browser, "/auth", { username })
    return browser
  }
  return { app, config, signInUser, records }
}

/** Mounts the documented route. */
function routes(app: TestApp, config: AuthConfig): void {
  const post = (path: string, ...chain: Parameters<TestApp["use"]>[1][]) => {
    for (const step of chain) app.use(path, step)
  }
  // The check itself is run by test/docs/samples.test.ts.
  const sameOrigin = (_req: unknown, _res: unknown, next: () => void) => next()
  runDocumented(PAGE, "/sign-out-everywhere", { app: { post }, config, requireAuth, endSessions, sameOrigin })
}

describeServers("signing out everywhere", (start, stage) => {
  const callbacks: AuthConfig["callbacks"] = {
    session: ({ session, user }) => ({ ...session, user: { id: user.id, name: user.name } }),
  }

  it("SES-33: ends every database session of the user", async () => {
    const store = memoryStore()
    const { config, signInUser } = await startWithAdapter(start, store, ownMethods(store))
    const [here, there, other] = [await signInUser("ada"), await signInUser("ada"), await signInUser("bob")]
    await endSessions(config, "ada")
    expect([await isSignedIn(here), await isSignedIn(there), await isSignedIn(other)]).toEqual([false, false, true])
    expect([here.cookie(NAME), store.sessions.size]).toEqual([undefined, 1])
  })

  if (stage.startsWith("Express"))
    it("SES-33: works with the documented route", async () => {
      const store = memoryStore()
      const { signInUser } = await startWithAdapter(start, store, ownMethods(store), { callbacks })
      const [here, there, other] = [await signInUser("ada"), await signInUser("ada"), await signInUser("bob")]
      const page = await here.post("/sign-out-everywhere")
      expect([page.status, new URL(page.location).pathname]).toEqual([302, "/"])
      expect([await isSignedIn(here), await isSignedIn(there), await isSignedIn(other)]).toEqual([false, false, true])
      expect((await here.post("/sign-out-everywhere")).status).toBe(401)
    })

  // With `Auth()`, requests and the revocation share no reads, as in two processes.
  if (stage !== "Auth()")
    it("SES-33: is not undone by a pending read", async () => {
      const store = memoryStore()
      let reads = 0
      let release = () => {}
      const { config, signInUser } = await startWithAdapter(start, store, {
        ...ownMethods(store),
        async getSessionAndUser(token) {
          const row = await store.adapter.getSessionAndUser?.(token)
          reads++
          await new Promise<void>((resolve) => {
            release = resolve
            if (reads !== 1) resolve()
          })
          return row ?? null
        },
      })
      const browser = await signInUser("ada")
      reads = 0
      const before = read(browser.clone(), "/me")
      await until(() => reads === 1)
      const releaseFirst = release
      await endSessions(config, "ada")
      expect(await isSignedIn(browser.clone())).toBe(false)
      releaseFirst()
      await before
      expect(await isSignedIn(browser.clone())).toBe(false)
    })

  it("SES-33: throws an error that names the missing adapter method, and ends nothing", async () => {
    const store = memoryStore()
    const { config, signInUser } = await startWithAdapter(start, store)
    const browser = await signInUser("ada")
    const refusal = endSessions(config, "ada")
    await expect(refusal).rejects.toMatchObject({ type: "MissingAdapterMethods" })
    await expect(refusal).rejects.toThrow(/deleteSessionsByUserId\(userId\).*store: RedisStore/)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it("SES-33: throws an AdapterError while the store is down, and the sessions stay valid", async () => {
    const store = memoryStore()
    const deleteSessionsByUserId = () => Promise.reject(new Error("connection refused by db.internal:5432"))
    const { config, signInUser } = await startWithAdapter(start, store, { deleteSessionsByUserId })
    const browser = await signInUser("ada")
    const expected = { type: "AdapterError", status: 503, expose: false, cause: { method: "deleteSessionsByUserId" } }
    await expect(endSessions(config, "ada")).rejects.toMatchObject(expected)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it("SES-33: passes the id to the adapter unchanged, and rejects a missing id", async () => {
    const store = memoryStore()
    const ids: unknown[] = []
    const { config } = await startWithAdapter(start, store, { deleteSessionsByUserId: async (id) => void ids.push(id) })
    // JavaScript code can pass these, and an adapter can have numeric ids.
    for (const id of [undefined, null, ""] as unknown as string[])
      await expect(endSessions(config, id)).rejects.toThrow(
        /the owner is (undefined|null|empty)\. Pass req\.auth\.owner/,
      )
    await endSessions(config, 7 as unknown as string)
    expect(ids).toEqual([7])
  })

  it("SES-33: with JWT sessions, throws an error that names the alternatives", async () => {
    const { config, signInUser } = await startWithAdapter(start, memoryStore(), {}, { session: { strategy: "jwt" } })
    const browser = await signInUser("ada")
    const refusal = endSessions(config, "ada")
    await expect(refusal).rejects.toMatchObject({ type: "UnsupportedStrategy" })
    await expect(refusal).rejects.toThrow(/there is no store.*store: RedisStore/)
    expect(await isSignedIn(browser)).toBe(true)
  })
})

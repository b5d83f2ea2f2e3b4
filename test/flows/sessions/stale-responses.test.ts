/**
 * Responses to requests that were sent before the session was replaced or ended. They must not undo that, because the
 * browser keeps the last cookie that it receives.
 */
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import type { AuthConfig, JWT } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"
import { until } from "../../support/wait.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const PATHS = ["/me", "/auth/session"]
const signOut = async (browser: Browser) => browser.post("/auth/signout", { csrfToken: await browser.csrf() })

/** Blocks calls while it is shut, and counts all calls. */
function createGate() {
  let open = () => {}
  let held: Promise<void> | undefined
  const state = {
    passed: 0,
    shut() {
      held = new Promise<void>((resolve) => {
        open = resolve
      })
    },
    /** Lets further calls pass. */
    open() {
      held = undefined
    },
    /** Releases the blocked calls. */
    release: () => open(),
    async pass() {
      state.passed++
      await held
    },
  }
  return state
}

type Gate = ReturnType<typeof createGate>

/** An adapter whose session reads are delayed by the gate. */
function createSlowAdapter(gate: Gate): Adapter {
  const store = MemoryAdapter()
  return {
    ...store,
    getSessionAndUser: async (token) => {
      const found = (await store.getSessionAndUser?.(token)) ?? null
      await gate.pass()
      return found
    },
  }
}

/** A `jwt` callback that checks a list of signed-out sessions and is delayed by the gate. */
function createSlowCallback(gate: Gate) {
  const signedOut = new Set<unknown>()
  const jwt = async ({ token, user }: { token: JWT; user?: unknown }) => {
    if (user) return { ...token, sid: Math.random() }
    const isOut = signedOut.has(token["sid"])
    await gate.pass()
    return isOut ? null : token
  }
  const events = {
    signOut: (message: object) => void ("token" in message && signedOut.add((message.token as JWT)["sid"])),
  }
  return { callbacks: { jwt }, events } as Pick<AuthConfig, "callbacks" | "events">
}

const KINDS: [string, (gate: Gate) => Promise<Partial<AuthConfig>>][] = [
  [
    "a store",
    async (gate) => {
      const adapter = createSlowAdapter(gate)
      await adapter.createUser?.({ id: "7", name: "ada", email: "a@x.test", emailVerified: null })
      return { adapter }
    },
  ],
  ["a cookie", async (gate) => createSlowCallback(gate)],
]

describeServers("stale response", (start) => {
  async function startSignedIn(configure: (typeof KINDS)[number][1]) {
    const gate = createGate()
    const time = { now: Date.now() }
    const app = await start(configOf({ ...(await configure(gate)), clock: () => time.now }))
    const browser = app.browser({ now: () => time.now })
    await signIn(browser)
    return { app, browser, gate, time }
  }

  describe.each(KINDS)("with the session in %s", (kind, configure) => {
    /** Returns the cookies in the responses to requests that were pending during the action. */
    async function cookiesDuring(
      { browser, gate }: Awaited<ReturnType<typeof startSignedIn>>,
      action: () => Promise<unknown>,
    ) {
      gate.shut()
      const before = gate.passed
      const pending = Promise.all(PATHS.map((path) => browser.clone().get(path)))
      await until(() => gate.passed > before)
      gate.open()
      await action()
      gate.release()
      return (await pending).flatMap((page) => page.headers.getSetCookie())
    }

    it("neither sets nor clears the cookie after a new sign-in", async () => {
      const site = await startSignedIn(configure)
      expect(await cookiesDuring(site, () => signIn(site.browser))).toEqual([])
    })

    it("does not restore the cookie after a sign-out", async () => {
      const site = await startSignedIn(configure)
      const cookies = await cookiesDuring(site, () => signOut(site.browser))
      expect(cookies.filter((cookie) => !cookie.includes("Max-Age=0"))).toEqual([])
    })

    it("neither sets nor clears the cookie for a minute, if the request arrives after a new sign-in", async () => {
      const { browser, time } = await startSignedIn(configure)
      const [first, second] = [browser.clone(), browser.clone()]
      await signIn(browser)
      for (const path of PATHS) expect((await first.get(path)).headers.getSetCookie()).toEqual([])
      time.now += 60_000
      await second.get("/auth/session")
      if (kind === "a store") expect(second.cookie(NAME)).toBeUndefined()
      else expect(second.cookie(NAME)).not.toBe(first.cookie(NAME))
    })

    it("is not reused for a request that arrives after the sign-out", async () => {
      const { browser, gate } = await startSignedIn(configure)
      const [early, later] = [browser.clone(), browser.clone()]
      gate.shut()
      const before = gate.passed
      const pending = early.get("/me")
      await until(() => gate.passed > before)
      gate.open()
      await signOut(browser)
      const reads = gate.passed
      const page = later.get("/me")
      // The later request reads the session itself, and does not wait for the pending read.
      await until(() => gate.passed > reads)
      expect(await (await page).json()).toBeNull()
      gate.release()
      expect((await pending).status).toBe(200)
    })
  })

  describe("to a request whose cookie was renewed before the change", () => {
    const ACTIONS: [string, (browser: Browser) => Promise<unknown>][] = [
      ["a sign-out", signOut],
      ["a new sign-in", signIn],
    ]

    /** Signs in a user with a session callback that can delay a response. */
    async function signInWithSlowCallback() {
      const gate = createGate()
      const session = async <T>({ session }: { session: T }) => {
        await gate.pass()
        return session
      }
      const jwt = ({ token }: { token: JWT }) => ({ ...token, sub: String(token.name) })
      const { browser: newBrowser } = await start(configOf({ callbacks: { jwt, session } }))
      const browser = newBrowser()
      await signIn(browser)
      return { browser, gate, newBrowser }
    }

    it.each(ACTIONS)("does not restore the session after %s", async (_name, action) => {
      const { browser, gate } = await signInWithSlowCallback()
      gate.shut()
      const pending = browser.clone().get("/auth/session")
      await until(() => gate.passed === 1)
      gate.open()
      const before = browser.cookie(NAME)
      await browser.get("/auth/session")
      expect(browser.cookie(NAME)).not.toBe(before)
      await action(browser)
      gate.release()
      expect((await pending).headers.getSetCookie()).toEqual([])
    })

    it("still renews the session if other users signed out and in meanwhile", async () => {
      const { browser, gate, newBrowser } = await signInWithSlowCallback()
      const [other, another] = [newBrowser(), newBrowser()]
      for (const user of [other, another]) await signIn(user, "/auth", { username: "bea" })
      gate.shut()
      const pending = browser.get("/auth/session")
      await until(() => gate.passed === 1)
      gate.open()
      await signOut(other)
      await signIn(another, "/auth", { username: "cid" })
      await signIn(newBrowser())
      gate.release()
      expect((await pending).headers.getSetCookie()).toHaveLength(1)
    })
  })
})

/**
 * Answers to requests that were on their way when the session was replaced or ended: they must not undo that in the
 * browser, which takes the last cookie that it gets.
 */
import type { Adapter } from "../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import type { AuthConfig, JWT } from "../../lib/types.js"
import { configOf, signIn } from "../express/support/servers.js"
import { describeServers } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { until } from "../support/wait.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const PATHS = ["/me", "/auth/session"]
const signOut = async (browser: Browser) => browser.post("/auth/signout", { csrfToken: await browser.csrf() })

/** Holds whoever passes while it is shut, and counts them. */
function gate() {
  let open = () => {}
  let held: Promise<void> | undefined
  const state = {
    passed: 0,
    shut() {
      held = new Promise<void>((resolve) => {
        open = resolve
      })
    },
    /** Lets those pass who come from now on. */
    open() {
      held = undefined
    },
    /** Lets those go who are held. */
    release: () => open(),
    async pass() {
      state.passed++
      await held
    },
  }
  return state
}

type Gate = ReturnType<typeof gate>

/** A store whose answers take their way back when it is shut. */
function storeBehind(way: Gate): Adapter {
  const store = MemoryAdapter()
  return {
    ...store,
    getSessionAndUser: async (token) => {
      const found = (await store.getSessionAndUser?.(token)) ?? null
      await way.pass()
      return found
    },
  }
}

/** A `jwt` callback that looks at a list of what was signed out, and answers when it is let. */
function listBehind(way: Gate) {
  const signedOut = new Set<unknown>()
  const jwt = async ({ token, user }: { token: JWT; user?: unknown }) => {
    if (user) return { ...token, sid: Math.random() }
    const isOut = signedOut.has(token["sid"])
    await way.pass()
    return isOut ? null : token
  }
  const events = {
    signOut: (message: object) => void ("token" in message && signedOut.add((message.token as JWT)["sid"])),
  }
  return { callbacks: { jwt }, events } as Pick<AuthConfig, "callbacks" | "events">
}

const KINDS: [string, (way: Gate) => Promise<Partial<AuthConfig>>][] = [
  [
    "a store",
    async (way) => {
      const adapter = storeBehind(way)
      await adapter.createUser?.({ id: "7", name: "ada", email: "a@x.test", emailVerified: null })
      return { adapter }
    },
  ],
  ["a cookie", async (way) => listBehind(way)],
]

describeServers("An answer that comes late", (start) => {
  async function signedIn(configure: (typeof KINDS)[number][1]) {
    const way = gate()
    const time = { now: Date.now() }
    const app = await start(configOf({ ...(await configure(way)), clock: () => time.now }))
    const browser = app.browser({ now: () => time.now })
    await signIn(browser)
    return { app, browser, way, time }
  }

  describe.each(KINDS)("with the session in %s", (kind, configure) => {
    /** The cookies of answers to requests that were under way while this happened. */
    async function cookiesOver({ browser, way }: Awaited<ReturnType<typeof signedIn>>, happen: () => Promise<unknown>) {
      way.shut()
      const before = way.passed
      const late = Promise.all(PATHS.map((path) => browser.clone().get(path)))
      await until(() => way.passed > before)
      way.open()
      await happen()
      way.release()
      return (await late).flatMap((page) => page.headers.getSetCookie())
    }

    it("after signing in again neither sets nor clears the cookie", async () => {
      const site = await signedIn(configure)
      expect(await cookiesOver(site, () => signIn(site.browser))).toEqual([])
    })

    it("after signing out does not bring the cookie back", async () => {
      const site = await signedIn(configure)
      const cookies = await cookiesOver(site, () => signOut(site.browser))
      expect(cookies.filter((cookie) => !cookie.includes("Max-Age=0"))).toEqual([])
    })

    it("to a request sent before and read after neither sets nor clears the cookie, for a minute", async () => {
      const { browser, time } = await signedIn(configure)
      const [first, second] = [browser.clone(), browser.clone()]
      await signIn(browser)
      for (const path of PATHS) expect((await first.get(path)).headers.getSetCookie()).toEqual([])
      time.now += 60_000
      await second.get("/auth/session")
      if (kind === "a store") expect(second.cookie(NAME)).toBeUndefined()
      else expect(second.cookie(NAME)).not.toBe(first.cookie(NAME))
    })

    it("to whoever asks after the sign-out was answered is not what was read before it", async () => {
      const { browser, way } = await signedIn(configure)
      const [early, later] = [browser.clone(), browser.clone()]
      way.shut()
      const before = way.passed
      const underWay = early.get("/me")
      await until(() => way.passed > before)
      way.open()
      await signOut(browser)
      const asked = way.passed
      const page = later.get("/me")
      // Its own look, for which it has not to wait.
      await until(() => way.passed > asked)
      expect(await (await page).json()).toBeNull()
      way.release()
      await underWay
    })
  })

  describe("to a request with the cookie before last", () => {
    const HAPPENINGS: [string, (browser: Browser) => Promise<unknown>][] = [
      ["signing out", signOut],
      ["signing in again", signIn],
    ]

    /** Somebody whose session callback can hold up an answer, so that the next one is quicker. */
    async function slowlyShown() {
      const way = gate()
      const session = async <T>({ session }: { session: T }) => {
        await way.pass()
        return session
      }
      const jwt = ({ token }: { token: JWT }) => ({ ...token, sub: String(token.name) })
      const { browser: visit } = await start(configOf({ callbacks: { jwt, session } }))
      const browser = visit()
      await signIn(browser)
      return { browser, way, visit }
    }

    it.each(HAPPENINGS)("does not bring the session back after %s", async (_name, happen) => {
      const { browser, way } = await slowlyShown()
      way.shut()
      const late = browser.clone().get("/auth/session")
      await until(() => way.passed === 1)
      way.open()
      const before = browser.cookie(NAME)
      await browser.get("/auth/session")
      expect(browser.cookie(NAME)).not.toBe(before)
      await happen(browser)
      way.release()
      expect((await late).headers.getSetCookie()).toEqual([])
    })

    it("is renewed where others signed out and in meanwhile", async () => {
      const { browser, way, visit } = await slowlyShown()
      const [other, another] = [visit(), visit()]
      for (const one of [other, another]) await signIn(one, "/auth", { username: "bea" })
      way.shut()
      const late = browser.get("/auth/session")
      await until(() => way.passed === 1)
      way.open()
      await signOut(other)
      await signIn(another, "/auth", { username: "cid" })
      await signIn(visit())
      way.release()
      expect((await late).headers.getSetCookie()).toHaveLength(1)
    })
  })
})

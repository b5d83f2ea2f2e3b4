/**
 * SES-10: a sibling host can set cookies with our names. Browsers send cookies with a longer path first (RFC 6265 §5.4),
 * and a server cannot see which host set a cookie.
 *
 * @module
 */
import { encode, getToken } from "../../../lib/jwt.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { type MemoryStore, memoryStore } from "../support/memory-adapter.js"

guardProcess()

const NAME = "authjs.session-token"
const PATHS = ["/auth/session", "/me"]
const read = async (browser: Browser, path: string) => (await browser.get(path)).json()

function database(): { config: Partial<AuthConfig>; store: MemoryStore } {
  const store = memoryStore()
  store.users.set("7", { id: "7", name: "ada", email: "a@x.test", emailVerified: null })
  return { config: { adapter: store.adapter }, store }
}

/** The kinds of sessions: in one cookie, in several cookies, and in a database. */
const KINDS: [string, () => { config: Partial<AuthConfig>; store?: MemoryStore }][] = [
  ["an encrypted cookie", () => ({ config: {} })],
  [
    "an encrypted cookie in chunks",
    () => ({ config: { callbacks: { jwt: ({ token }) => ({ ...token, filler: "x".repeat(4_000) }) } } }),
  ],
  ["a database", database],
]

describeServers("SES-10: session cookie from a sibling host", (start) => {
  async function startSignedIn(kind: () => { config: Partial<AuthConfig>; store?: MemoryStore }) {
    const { config, store } = kind()
    const { logger, records } = recordingLogger()
    const app = await start(configOf({ ...config, logger }))
    const browser = app.browser()
    await signIn(browser)
    records.length = 0
    return { app, browser, store, records }
  }

  /** Sets each session cookie again with longer paths, so that the browser sends it before the real one. */
  function plantCookies(browser: Browser, value: string, paths: readonly string[] = PATHS): void {
    const names = browser.cookies().flatMap(({ name }) => (name.startsWith(NAME) ? [name] : []))
    for (const name of names) for (const path of paths) browser.setCookie(name, value, { path })
  }

  const readSessionCookies = (browser: Browser) => browser.cookies("/").filter(({ name }) => name.startsWith(NAME))

  it.each(KINDS)("SES-10: does not sign the user out, with the session in %s", async (_name, kind) => {
    const { browser, records } = await startSignedIn(kind)
    const before = readSessionCookies(browser).map(({ name }) => name)
    plantCookies(browser, "junk")
    for (const path of PATHS) {
      const page = await browser.get(path)
      expect(await page.json()).toMatchObject({ user: { name: "ada" } })
      expect(page.headers.getSetCookie().filter((cookie) => /Max-Age=0/.test(cookie))).toEqual([])
    }
    expect(readSessionCookies(browser).map(({ name }) => name)).toEqual(before)
    expect(records.filter(({ level }) => level === "error")).toEqual([])
  })

  it.each(KINDS)("SES-10: does not prevent a sign-out, with the session in %s", async (_name, kind) => {
    const { browser, store } = await startSignedIn(kind)
    plantCookies(browser, "junk", ["/auth/signout"])
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect(readSessionCookies(browser)).toEqual([])
    if (store) expect(store.sessions.size).toBe(0)
    for (const path of PATHS) expect(await read(browser, path)).toBeNull()
  })

  it("SES-10: cannot be set if the session cookie has a `__Host-` name", async () => {
    const name = "__Host-session"
    const app = await start(configOf({ cookies: { sessionToken: { name } } }), { origin: "https://app.test" })
    const browser = app.browser()
    const page = await signIn(browser)
    const [cookie] = page.headers.getSetCookie().filter((header) => header.startsWith(name))
    // RFC 6265bis §4.1.3.2: browsers accept a __Host- cookie only with Secure, Path=/ and no Domain.
    expect(cookie).toMatch(/^__Host-session=[^;]+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/)
    for (const path of PATHS) expect(await read(browser, path)).toMatchObject({ user: { name: "ada" } })
  })

  it("SES-10: is ignored if it is expired, or encrypted with another secret or salt", async () => {
    const { browser } = await startSignedIn(() => ({ config: {} }))
    const token = { name: "mallory" }
    for (const value of [
      await encode({ token, secret: "another secret, of forty-eight letters, not ours", salt: NAME }),
      await encode({ token, secret: TEST_SECRET, salt: "authjs.state" }),
      await encode({ token, secret: TEST_SECRET, salt: NAME, maxAge: -60 }),
      "",
      "%",
      "a.b.c.d.e",
    ]) {
      plantCookies(browser, value)
      for (const path of PATHS)
        expect([value, await read(browser, path)]).toMatchObject([value, { user: { name: "ada" } }])
    }
  })

  it("SES-10: causes at most five lookups for 200 values", async () => {
    const { browser, store } = await startSignedIn(database)
    let lookups = 0
    const find = store?.adapter.getSessionAndUser
    if (!store || !find) throw new Error("there is no store")
    store.adapter.getSessionAndUser = (token) => {
      lookups++
      return find(token)
    }
    const cookie = `${Array.from({ length: 200 }, (_, i) => `${NAME}=junk${i}`).join("; ")}`
    const page = await browser.clone().get("/auth/session", { headers: { cookie } })
    expect([page.status, await page.json()]).toEqual([200, null])
    expect(lookups).toBeLessThanOrEqual(5)
  })

  /** A store that rejects NUL characters, as PostgreSQL does. */
  function strictStore(): { config: Partial<AuthConfig>; store: MemoryStore } {
    const { store, config } = database()
    const { getSessionAndUser, deleteSession } = store.adapter
    const strict =
      <T>(query?: (token: string) => T) =>
      (token: string) => {
        if (token.includes("\0")) throw new Error('invalid byte sequence for encoding "UTF8": 0x00')
        if (!query) throw new Error("the adapter has no method for sessions")
        return query(token)
      }
    const adapter = {
      ...store.adapter,
      getSessionAndUser: strict(getSessionAndUser),
      deleteSession: strict(deleteSession),
    }
    return { config: { ...config, adapter }, store }
  }

  it("SES-10: with a NUL character, affects neither the session nor the next sign-in", async () => {
    const { browser, records } = await startSignedIn(strictStore)
    plantCookies(browser, "%00", [...PATHS, "/auth/callback", "/auth/signout"])
    for (const path of PATHS) expect(await read(browser, path)).toMatchObject({ user: { name: "ada" } })
    const before = readSessionCookies(browser)
    await signIn(browser)
    expect(readSessionCookies(browser)).not.toEqual(before)
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect([readSessionCookies(browser), records.filter(({ level }) => level === "error")]).toEqual([[], []])
  })

  it("SES-10: if it is empty, does not prevent the sign-out of a database session", async () => {
    const { browser, store } = await startSignedIn(database)
    plantCookies(browser, "", ["/auth/signout"])
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect([readSessionCookies(browser), store?.sessions.size]).toEqual([[], 0])
  })

  it("SES-10: does not keep the old session alive after a new sign-in", async () => {
    const { browser, store } = await startSignedIn(database)
    plantCookies(browser, "chosen by an attacker", ["/auth/callback"])
    await signIn(browser)
    expect(store?.sessions.size).toBe(1)
    expect(store?.sessions.has("chosen by an attacker")).toBe(false)
  })
})

it("SES-10: a planted cookie does not hide the session from getToken", async () => {
  const real = await encode({ token: { sub: "7" }, secret: TEST_SECRET, salt: NAME })
  const cookie = `${NAME}=junk; ${NAME}=${real}`
  const claims = { sub: "7" }
  expect(await getToken({ req: { headers: { cookie } }, secret: TEST_SECRET })).toMatchObject(claims)
  expect(
    await getToken({ req: new Request("http://a.test", { headers: { cookie } }), secret: TEST_SECRET }),
  ).toMatchObject(claims)
})

it("SES-10: a planted cookie does not hide the session from getToken with a custom decode function", async () => {
  const decode = ({ token }: { token?: string }) => (token === "real" ? { sub: "7" } : null)
  const req = { headers: { cookie: `${NAME}=junk; ${NAME}=real` } }
  expect(await getToken({ req, secret: TEST_SECRET, decode })).toEqual({ sub: "7" })
})

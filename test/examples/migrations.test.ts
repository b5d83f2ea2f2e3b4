import { createHmac, hkdfSync } from "node:crypto"
import { join } from "node:path"
import Database from "better-sqlite3"
import { CompactEncrypt, compactDecrypt } from "jose"
import type { Browser } from "../support/browser.js"
import { type RealProvider, signInAtProvider, startRealProvider } from "../support/real-provider.js"
import {
  copyBrowser,
  currentUser,
  Migration,
  PLAIN_TEXT,
  SECRET,
  signInWithProvider,
  signOut,
} from "./support/migration.js"
import { runToEnd, temporaryFolder } from "./support/run-example.js"

const CLIENT = { client_id: "shop", client_secret: "a secret of thirty-two letters or more" }
const folder = temporaryFolder()
afterAll(() => folder.remove())
const databaseFile = ({ name }: Recipe) => join(folder.path, `${name}.db`)

interface Recipe {
  readonly name: string
  /** The name of the old cookie or of its parts. */
  readonly cookie: RegExp
  readonly id: string
  readonly signInBefore: (browser: Browser) => Promise<unknown>
  readonly signInAfter: (browser: Browser) => Promise<unknown>
  /** Replaces the browser's old session with an expired one. */
  readonly expire: (browser: Browser) => Promise<void>
  /** Whether the old session is stored in the cookie, so that a copy stays valid. */
  readonly isStoredInCookie: boolean
}

const withPassword = {
  id: "1",
  signInBefore: (browser: Browser) => browser.post("/login", { username: "carol", password: "wonderland" }),
  async signInAfter(browser: Browser) {
    const page = await browser.get("/login", { follow: true })
    const form = browser.form(await page.text(), "/auth/callback/credentials")
    await browser.submit(form, { username: "carol", password: "wonderland" })
  },
}

const PASSPORT: Recipe = {
  ...{ name: "passport", cookie: /^connect\.sid$/, isStoredInCookie: false },
  ...withPassword,
  async expire(browser) {
    const [, id] = /^s%3A(.*)\./.exec(browser.cookie("connect.sid") ?? "") ?? []
    const database = new Database(databaseFile(PASSPORT))
    expect(database.prepare("UPDATE sessions SET ends = 1 WHERE id = ?").run(id).changes).toBe(1)
    database.close()
  },
}

const COOKIE_SESSION: Recipe = {
  ...{ name: "cookie-session", cookie: /^session(?:\.sig)?$/, isStoredInCookie: true },
  ...withPassword,
  async expire(browser) {
    const session = { userId: "1", signedInAt: Date.now() - 15 * 24 * 60 * 60 * 1000 }
    const value = Buffer.from(JSON.stringify(session)).toString("base64")
    browser.setCookie("session", value)
    browser.setCookie("session.sig", createHmac("sha1", SECRET).update(`session=${value}`).digest("base64url"))
  },
}

const OPENID_CONNECT: Recipe = {
  ...{ name: "express-openid-connect", cookie: /^appSession(?:\.\d+)?$/, id: "alice", isStoredInCookie: true },
  async signInBefore(browser) {
    const { location } = await browser.get("/login")
    await browser.get(await signInAtProvider(browser, location, "alice"), { follow: true })
  },
  signInAfter: (browser) => signInWithProvider(browser, "alice"),
  async expire(browser) {
    const key = new Uint8Array(hkdfSync("sha256", SECRET, "", "JWE CEK", 32))
    const { plaintext, protectedHeader } = await compactDecrypt(browser.cookie("appSession") ?? "", key)
    const ended = { ...protectedHeader, exp: Math.floor(Date.now() / 1000) - 1 }
    browser.setCookie("appSession", await new CompactEncrypt(plaintext).setProtectedHeader(ended).encrypt(key))
  },
}

let provider: RealProvider
beforeAll(async () => {
  provider = await startRealProvider()
})
afterAll(() => provider?.close())

const RECIPES = [PASSPORT, COOKIE_SESSION, OPENID_CONNECT]

describe.each(RECIPES)("examples/migrations/$name", (recipe) => {
  let app: Migration
  /** A browser that signed in at the old application. */
  let person: Browser
  /** Another browser with its own old session. */
  let device: Browser
  /** A third browser, whose old session has expired. */
  let expired: Browser

  const signInBefore = async () => {
    const browser = app.browser()
    await recipe.signInBefore(browser)
    expect(await currentUser(browser)).toMatchObject({ id: recipe.id })
    return browser
  }

  beforeAll(async () => {
    const client = { ISSUER: provider.issuer, CLIENT_ID: CLIENT.client_id, CLIENT_SECRET: CLIENT.client_secret }
    app = new Migration(recipe.name, { ...client, SESSIONS_FILE: databaseFile(recipe) })
    await app.start("before.js")
    const redirectUris = ["/callback", "/auth/callback/company"].map((path) => app.origin + path)
    await provider.addClient({ ...CLIENT, redirect_uris: redirectUris })
    ;[person, device, expired] = await Promise.all([signInBefore(), signInBefore(), signInBefore()])
    await recipe.expire(expired)
    await app.start("after.js")
  })
  afterAll(() => app?.stop())

  /** The value with one character changed near its end. */
  const forge = (value: string) => value.replace(/(.)(.{9})$/, (_, one, rest) => (one === "x" ? "y" : "x") + rest)

  it("rejects a forged old cookie", async () => {
    const forger = copyBrowser(device, recipe.cookie)
    for (const { name, value } of forger.cookies()) forger.setCookie(name, forge(value))
    expect(await currentUser(forger)).toBeUndefined()
    expect(forger.cookies()).toEqual([])
  })

  it("migrates the session and ends the old one", async () => {
    const before = copyBrowser(person, recipe.cookie)
    expect(await currentUser(person)).toMatchObject({ id: recipe.id })
    expect(await (await person.get("/")).text()).toMatch(/^Hello, /)
    const names = person.cookies().map(({ name }) => name)
    expect(names).toContain("authjs.session-token")
    expect(names.filter((name) => recipe.cookie.test(name))).toEqual([])
    // A copy of the old cookie is accepted again only if the cookie contains the session.
    expect(Boolean(await currentUser(before))).toBe(recipe.isStoredInCookie)
  })

  it("stays signed out after a sign-out, even if the browser sends the old cookie again", async () => {
    const old = copyBrowser(device, recipe.cookie)
    expect(await currentUser(device)).toMatchObject({ id: recipe.id })
    await signOut(device)
    for (const cookie of old.jar.all()) device.jar.put(cookie)
    expect([await currentUser(device), await currentUser(device)]).toEqual([undefined, undefined])
  })

  it("allows a new sign-in", async () => {
    const browser = app.browser()
    await recipe.signInAfter(browser)
    expect(await currentUser(browser)).toMatchObject({ id: recipe.id })
  })

  it("rejects an expired old session", async () => {
    expect(await currentUser(expired)).toBeUndefined()
    expect(expired.cookie("authjs.session-token")).toBeUndefined()
  })

  it("sends names as plain text", async () => {
    const browser = app.browser()
    await recipe.signInAfter(browser)
    const page = await browser.get("/")
    expect([await page.text(), page.headers.get("content-type")]).toEqual([
      expect.stringMatching(/^Hello, /),
      PLAIN_TEXT,
    ])
  })
})

it("examples/migrations/passport returns to the page that was requested from the old application", async () => {
  const app = new Migration("passport", { SESSIONS_FILE: join(folder.path, "return-to.db") })
  await app.start("before.js")
  const browser = app.browser()
  const sent = await browser.get("/orders?page=2")
  expect(sent.location).toBe(`${app.origin}/login`)
  await app.start("after.js")
  const page = await browser.get("/login", { follow: true })
  const form = browser.form(await page.text(), "/auth/callback/credentials")
  const signedIn = await browser.submit(form, { username: "carol", password: "wonderland" })
  expect(signedIn.location).toBe(`${app.origin}/orders?page=2`)
  const orders = await browser.get(signedIn.location)
  expect([await orders.text(), orders.headers.get("content-type")]).toEqual(["Orders of Carol", PLAIN_TEXT])
  await app.stop()
})

it.each(["passport", "cookie-session"])(
  "examples/migrations/%s fails at startup without SESSION_SECRET",
  async (name) => {
    for (const file of ["before.js", "after.js"]) {
      const { code, output } = await runToEnd(`examples/migrations/${name}/${file}`, { AUTH_SECRET: SECRET, PORT: "0" })
      expect({ file, code, output }).toEqual({ file, code: 1, output: expect.stringContaining("Set SESSION_SECRET") })
    }
  },
)

it("examples with a known password fail at startup in production", async () => {
  const site = { AUTH_URL: "https://example.com", AUTH_SECRET: SECRET, SESSION_SECRET: SECRET }
  const env = { ...site, NODE_ENV: "production", PORT: "0", ADOPT_UNTIL: "2099-01-01" }
  for (const file of ["migrations/passport/after.js", "migrations/cookie-session/after.js", "commonjs/server.cjs"]) {
    const { code, output } = await runToEnd(`examples/${file}`, env)
    expect({ file, code, output }).toEqual({
      file,
      code: 1,
      output: expect.stringMatching(/password is known|known password/),
    })
  }
})

/**
 * Tests the differences that no single response shows, each on both packages, and checks that `docs/differences.md` lists
 * all differences.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { createServer, type RequestListener } from "node:http"
import { join } from "node:path"
import type { AuthConfig as AuthjsConfig } from "@auth/core"
import { ExpressAuth } from "@auth/express"
import TheirGitHub from "@auth/express/providers/github"
import express, { type Express } from "express"
import type { Adapter } from "../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware } from "../../lib/index.js"
import { decode } from "../../lib/jwt.js"
import GitHub from "../../lib/providers/github.js"
import { MemoryStore } from "../../lib/store/memory.js"
import type { AuthConfig } from "../../lib/types.js"
import { Browser, type Page, type Visit } from "../support/browser.js"
import { startFaultyProvider } from "../support/faulty-provider.js"
import { type Listening, listen } from "../support/listen.js"
import { recordingLogger } from "../support/recording-logger.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { unstorageMemory } from "./adapters/support/unstorage.js"
import type { UnseenId } from "./differences.js"
import { createStage, credentials, SECRET } from "./support/case.js"
import { startAuthjs, startLatchkey } from "./support/sites.js"
import { createStore } from "./support/store.js"

failOnUnhandled()

const SILENT = { error() {}, warn() {}, debug() {} }
const base = (more: object = {}) => ({
  trustHost: true,
  secret: SECRET,
  logger: SILENT,
  providers: [credentials()],
  ...more,
})
/** A configuration for both packages. */
const authjs = (more?: object) => base(more) as AuthjsConfig
const latchkey = (more?: object) => base(more) as unknown as AuthConfig

const open: { close(): Promise<void> }[] = []
const env = { ...process.env }
afterEach(async () => {
  process.env = { ...env }
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function serve(build: (app: Express) => void): Promise<Listening> {
  const app = express()
  build(app)
  const server = await listen(createServer(app as RequestListener))
  open.push(server)
  return server
}

async function sites(more?: object) {
  const pair = { authjs: await startAuthjs(authjs(more)), latchkey: await startLatchkey(latchkey(more)) }
  open.push(pair.authjs, pair.latchkey)
  return pair
}

const deepFreeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null)
    for (const member of Object.values(Object.freeze(value))) deepFreeze(member)
  return value
}

/** Signs in, requests a page of the application, and returns the names of the cookies that the page sets. */
async function readLaterCookies(
  start: (config: object) => Promise<{ browser(): Browser }>,
  more: object,
): Promise<string[]> {
  const browser = (await start(base(more))).browser()
  await browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), name: "Ada" })
  const page = await browser.get("/me")
  expect(await page.json()).toMatchObject({ user: { name: "Ada" } })
  return page.headers.getSetCookie().map((cookie) => cookie.split("=")[0] ?? "")
}

const startBoth = {
  authjs: async (config: object) => {
    const site = await startAuthjs(config as AuthjsConfig)
    open.push(site)
    return site
  },
  latchkey: async (config: object) => {
    const site = await startLatchkey(config as AuthConfig)
    open.push(site)
    return site
  },
}

/** An email provider, the links that it sent, and an adapter with the optional methods of the included adapters. */
function mailSite(more: object = {}) {
  const store = createStore([])
  const mailed: string[] = []
  const sendVerificationRequest = ({ url }: { url: string }) => void mailed.push(url)
  const provider = { id: "mail", name: "Mail", type: "email", sendVerificationRequest, ...more }
  const { accounts, sessions, links } = store
  const without = <T>(list: T[], isGone: (one: T) => boolean) =>
    void list.splice(0, list.length, ...list.filter((one) => !isGone(one)))
  const own = {
    deleteVerificationTokens: async (identifier: string) => without(links, (link) => link.identifier === identifier),
    listAccountsByUserId: async (id: string) => accounts.filter(({ userId }) => userId === id),
    unlinkAccount: async ({ providerAccountId }: { providerAccountId: string }) =>
      without(accounts, (account) => account.providerAccountId === providerAccountId),
    deleteSessionsByUserId: async (id: string) => without(sessions, ({ userId }) => userId === id),
  }
  return {
    mailed,
    users: store.users,
    provider,
    adapter: { providers: [provider], adapter: { ...store.adapter, ...own } },
  }
}

const askForLink = async (browser: Browser, init: Visit = {}) =>
  browser.post("/auth/signin/mail", { csrfToken: await browser.csrf(), email: "ada@example.com" }, init)

/** Opens a link, and submits the form of the page if there is one. */
async function openLink(browser: Browser, link: string): Promise<Page> {
  const page = await browser.get(link)
  return page.status === 200 ? browser.submit(browser.form(await page.text())) : page
}

const CHECKS: Record<UnseenId, () => Promise<void>> = {
  "config-check": async () => {
    const wrong = { secret: "", providers: [{ id: "x", name: "X", type: "oauth" }] }
    const site = await startAuthjs(authjs(wrong))
    open.push(site)
    const page = await site.browser().get("/auth/csrf")
    expect([page.status, await page.json()]).toEqual([500, { message: expect.any(String) }])
    expect(() => authMiddleware(latchkey(wrong))).toThrow(/1\. secret: [\s\S]*providers\[0\]/)
    expect(() => authMiddleware(latchkey({ callback: {} }))).toThrow("Did you mean `callbacks`?")
  },

  "session-authentication": async () => {
    const pair = await sites()
    const claims = await Promise.all(
      [pair.authjs, pair.latchkey].map(async (site) => {
        const browser = site.browser()
        await browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), name: "Ada" })
        const { name = "", value = "" } = browser.cookies().find((one) => one.name.includes("session-token")) ?? {}
        return decode({ token: value, secret: SECRET, salt: name })
      }),
    )
    expect(claims.map((all) => typeof all?.["session_authentication"])).toEqual(["undefined", "string"])
  },

  "config-untouched": async () => {
    const written = authjs()
    const site = await startAuthjs(written)
    open.push(site)
    await site.browser().get("/auth/csrf")
    expect(Object.keys(written)).toContain("basePath")
    const own = latchkey({ providers: [{ ...credentials() }] })
    const before = Object.keys(own)
    const frozen = await startLatchkey(deepFreeze(own))
    open.push(frozen)
    expect((await frozen.browser().get("/auth/csrf")).status).toBe(200)
    expect(Object.keys(own)).toEqual(before)
  },

  "short-secret": async () => {
    const { authjs, latchkey } = await sites({ secret: "short" })
    for (const site of [authjs, latchkey]) expect((await site.browser().get("/auth/csrf")).status).toBe(200)
    const { logger, records } = recordingLogger()
    authMiddleware(base({ secret: "short", logger }) as unknown as AuthConfig)
    expect(records.map(({ code }) => code)).toContain("secret-too-short")
    process.env["NODE_ENV"] = "production"
    expect(() => authMiddleware(base({ secret: "short" }) as unknown as AuthConfig)).toThrow("secret: has 5 characters")
  },

  "no-store": async () => {
    const { authjs, latchkey } = await sites()
    for (const path of ["session", "csrf", "providers", "signin", "signout", "error", "verify-request", "callback/x"]) {
      const has = async (browser: Browser) =>
        (await browser.get(`/auth/${path}`)).headers.get("cache-control")?.includes("no-store") ?? false
      expect([path, await has(authjs.browser())]).toEqual([path, ["session", "csrf"].includes(path)])
      expect([path, await has(latchkey.browser())]).toEqual([path, true])
    }
  },

  "page-headers": async () => {
    const { authjs, latchkey } = await sites()
    const [theirs, ours] = [await authjs.browser().get("/auth/signin"), await latchkey.browser().get("/auth/signin")]
    expect(theirs.headers.get("content-security-policy")).toBeNull()
    expect(ours.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(ours.headers.get("content-security-policy")).not.toContain("unsafe")
    expect(ours.headers.get("referrer-policy")).toBe("no-referrer")
    expect(await ours.text()).not.toMatch(/<script|style="|https?:\/\/(?!app\.test)/)
  },

  "session-rolling": async () => {
    const due = { session: { updateAge: 0 } }
    expect(await readLaterCookies(startBoth.authjs, due)).toEqual([])
    expect(await readLaterCookies(startBoth.latchkey, due)).toEqual(["authjs.session-token"])
    expect(await readLaterCookies(startBoth.latchkey, { session: { updateAge: 3600 } })).toEqual([])
  },

  "short-sessions": async () => {
    const isProlonged = async (side: keyof typeof startBoth) => {
      const { adapter, users, sessions } = createStore([])
      const expires = new Date(Date.now() + 3_000_000)
      users.push({ id: "1", email: "ada@example.com", emailVerified: null })
      sessions.push({ sessionToken: "t", userId: "1", expires })
      const browser = (await startBoth[side](base({ adapter, session: { maxAge: 3_600 } }))).browser()
      browser.setCookie("authjs.session-token", "t")
      expect(await (await browser.get("/auth/session")).json()).toMatchObject({ user: { email: "ada@example.com" } })
      return Number(sessions[0]?.expires) > Number(expires)
    }
    expect(await isProlonged("authjs")).toBe(false)
    expect(await isProlonged("latchkey")).toBe(true)
  },

  "provider-variables": async () => {
    for (const id of ["GITHUB", "WORK"])
      Object.assign(process.env, { [`AUTH_${id}_ID`]: `client of ${id}`, [`AUTH_${id}_SECRET`]: "secret" })
    const readClientId = async (side: keyof typeof startBoth, provider: object) => {
      const browser = (await startBoth[side](base({ providers: [provider] }))).browser()
      const { location } = await browser.post("/auth/signin/work", { csrfToken: await browser.csrf() })
      return new URL(location).searchParams.get("client_id")
    }
    expect(await readClientId("authjs", TheirGitHub({ id: "work" }))).toBe("client of GITHUB")
    expect(await readClientId("latchkey", GitHub({ id: "work" }))).toBe("client of WORK")
  },

  "empty-address": async () => {
    const op = await startFaultyProvider()
    open.push(op)
    const withEmptyAddress = (claims: object) => ({ ...claims, email: "" })
    op.set({ claims: withEmptyAddress, userinfo: withEmptyAddress })
    const readAddresses = async (side: keyof typeof startBoth) => {
      const { adapter, users } = createStore([])
      const provider = createStage(side, op).op.oidc({ checks: ["pkce", "state", "nonce"] })
      const browser = (await startBoth[side](base({ adapter, providers: [provider] }))).browser()
      const start = await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })
      await browser.get(await op.authorize(start.location))
      return users.map(({ email }) => email)
    }
    expect(await readAddresses("authjs")).toEqual([""])
    expect(await readAddresses("latchkey")).toEqual([undefined])
  },

  "account-tokens": async () => {
    const op = await startFaultyProvider()
    open.push(op)
    const storedTokens = async (side: keyof typeof startBoth, more: object = {}) => {
      const { adapter, accounts } = createStore([])
      const provider = { ...createStage(side, op).op.oidc({ checks: ["pkce", "state", "nonce"] }), ...more }
      const store = side === "latchkey" && { store: MemoryStore() }
      const browser = (await startBoth[side](base({ adapter, providers: [provider], ...store }))).browser()
      const start = await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })
      await browser.get(await op.authorize(start.location))
      return accounts.map(({ access_token, refresh_token }) => [typeof access_token, typeof refresh_token])
    }
    expect(await storedTokens("authjs")).toEqual([["string", "string"]])
    expect(await storedTokens("latchkey")).toEqual([["undefined", "undefined"]])
    expect(await storedTokens("latchkey", { keepTokens: false })).toEqual([["string", "string"]])
  },

  "token-changes": async () => {
    const countRefreshes = async (startOne: (config: object) => Promise<{ browser(): Browser }>) => {
      let refreshes = 0
      const jwt = ({ token, user }: { token: object; user?: object }) => {
        if (user || "refreshed" in token) return token
        refreshes++
        return { ...token, refreshed: refreshes }
      }
      const browser = (await startOne(base({ callbacks: { jwt } }))).browser()
      await browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), name: "Ada" })
      for (const tab of [browser.clone(), browser.clone(), browser]) await tab.get("/auth/session")
      return refreshes
    }
    expect(await countRefreshes(startBoth.authjs)).toBe(3)
    expect(await countRefreshes(startBoth.latchkey)).toBe(1)
  },

  "application-mount": async () => {
    const theirs = await serve((app) => app.use("/auth/*splat", ExpressAuth(authjs())))
    expect((await new Browser(theirs).get("/auth/csrf")).status).toBe(400)
    const mounts: ((app: Express) => void)[] = [
      (app) => app.use("/auth/*splat", authMiddleware(latchkey())),
      (app) => app.all("/auth/{*splat}", authMiddleware(latchkey())),
      (app) => app.use("/auth", authMiddleware(latchkey())),
      (app) => app.use(authMiddleware(latchkey())),
      (app) => app.use("/elsewhere", express.Router().use(authMiddleware(latchkey()))).use(authMiddleware(latchkey())),
    ]
    for (const mount of mounts) expect((await new Browser(await serve(mount)).get("/auth/csrf")).status).toBe(200)
  },

  "one-origin": async () => {
    process.env["AUTH_URL"] = "https://shop.example.com"
    const readCallbackUrl = async (server: Listening) => {
      const [entry] = Object.values(Object(await (await new Browser(server).get("/auth/providers")).json()))
      return String(Object(entry).callbackUrl)
    }
    const theirs = await serve((app) => app.use("/auth", ExpressAuth(authjs())))
    expect(await readCallbackUrl(theirs)).toBe(`${theirs.origin}/auth/callback/credentials`)
    const ours = await serve((app) => app.use(authMiddleware(latchkey())))
    expect(await readCallbackUrl(ours)).toBe("https://shop.example.com/auth/callback/credentials")
  },

  "env-booleans": async () => {
    Object.assign(process.env, { NODE_ENV: "production", AUTH_TRUST_HOST: "false" })
    const untrusting = { trustHost: undefined }
    const theirs = await startAuthjs(authjs(untrusting))
    open.push(theirs)
    expect((await theirs.browser().get("/auth/csrf")).status).toBe(200)
    expect(() => authMiddleware(latchkey(untrusting))).toThrow("[untrusted-host]")
  },

  "sign-out-landing": async () => {
    const { authjs, latchkey } = await sites()
    const landing = async (browser: Browser) => {
      const fields = { csrfToken: await browser.csrf(), callbackUrl: "/guarded" }
      await browser.post("/auth/callback/credentials", { ...fields, username: "ada", password: "right" })
      const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
      return new URL(page.location).pathname
    }
    expect([await landing(authjs.browser()), await landing(latchkey.browser())]).toEqual(["/guarded", "/"])
  },

  "continued-by-page": async () => {
    const oauth = {
      ...{ id: "acme", name: "Acme", type: "oauth", clientId: "id", clientSecret: "secret" },
      ...{ authorization: "https://id.test/authorize", token: "https://id.test/token", userinfo: "https://id.test/me" },
    }
    const { authjs, latchkey } = await sites({ providers: [oauth] })
    const hasPage = async (browser: Browser) => {
      let text = ""
      const seesAnswer = (body: string) => (text = body)
      await browser.post("/auth/signin/acme", { csrfToken: await browser.csrf() }, { seesAnswer })
      return text.includes("https://id.test/authorize")
    }
    expect([await hasPage(authjs.browser()), await hasPage(latchkey.browser())]).toEqual([false, true])
  },

  "unknown-address": async () => {
    Object.assign(process.env, { NODE_ENV: "production" })
    const untrusting = { trustHost: undefined }
    const theirs = await startAuthjs(authjs(untrusting))
    open.push(theirs)
    expect((await theirs.browser().get("/auth/session")).status).toBe(500)
    expect(() => authMiddleware(latchkey(untrusting))).toThrow("[untrusted-host]")
  },

  "class-adapter": async () => {
    class Sessions {
      readonly row = { sessionToken: "t", userId: "1", expires: new Date(Date.now() + 1e9) }
      async getSessionAndUser() {
        return { session: this.row, user: { id: "1", name: "Ada", email: "a@b.test", emailVerified: null } }
      }
      async updateSession() {
        return this.row
      }
    }
    const { getSessionAndUser: _get, updateSession: _update, ...rest } = createStore([]).adapter
    const adapter = Object.assign(new Sessions(), rest)
    const read = async (start: (config: object) => Promise<{ browser(): Browser }>) => {
      const browser = (await start(base({ adapter }))).browser()
      browser.setCookie("authjs.session-token", "t")
      return (await browser.get("/auth/session")).json()
    }
    expect(await read(startBoth.authjs)).toBeNull()
    expect(await read(startBoth.latchkey)).toMatchObject({ user: { name: "Ada" } })
  },

  "cached-metadata": async () => {
    const op = await startFaultyProvider()
    open.push(op)
    const countDiscoveries = async (side: "authjs" | "latchkey") => {
      op.requests.length = 0
      const browser = (await startBoth[side](base({ providers: [createStage(side, op).op.oidc()] }))).browser()
      for (let i = 0; i < 3; i++) {
        const start = await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })
        await browser.get(await op.authorize(start.location))
      }
      return op.count("discovery")
    }
    expect(await countDiscoveries("authjs")).toBe(6)
    expect(await countDiscoveries("latchkey")).toBe(1)
  },

  "userinfo-completes": async () => {
    const op = await startFaultyProvider()
    open.push(op)
    op.set({ claims: ({ name: _name, email: _email, ...claims }) => claims })
    const readUser = async (side: keyof typeof startBoth) => {
      const { profile: _profile, ...definition } = createStage(side, op).op.oidc({ checks: ["pkce", "state", "nonce"] })
      const browser = (await startBoth[side](base({ providers: [definition] }))).browser()
      const start = await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })
      await browser.get(await op.authorize(start.location))
      return (await (await browser.get("/auth/session")).json()).user
    }
    expect(await readUser("authjs")).toEqual({ name: "alice" })
    expect(await readUser("latchkey")).toEqual({ name: "Alice", email: "alice@example.com" })
  },

  "redirect-proxy-list": async () => {
    const redirectProxyUrl = "https://proxy.test/auth"
    const landing = async (side: keyof typeof startBoth, more: object = {}) => {
      const providers = [(side === "authjs" ? TheirGitHub : GitHub)({ clientId: "a", clientSecret: "b" })]
      const config = base({ providers, redirectProxyUrl, ...more })
      const startAt = async (origin: string) => {
        const site = await (side === "authjs"
          ? startAuthjs(config as AuthjsConfig, { origin })
          : startLatchkey(config as unknown as AuthConfig, { origin }))
        open.push(site)
        return site.browser()
      }
      const [evil, proxy] = [await startAt("https://evil.test"), await startAt("https://proxy.test")]
      const start = await evil.post("/auth/signin/github", { csrfToken: await evil.csrf() })
      const state = new URL(start.location).searchParams.get("state")
      return new URL((await proxy.get(`/auth/callback/github?code=c&state=${state}`)).location).origin
    }
    expect(await landing("authjs")).toBe("https://evil.test")
    expect(await landing("latchkey")).toBe("https://proxy.test")
    expect(await landing("latchkey", { redirectProxyOrigins: ["https://evil.test"] })).toBe("https://evil.test")
  },

  "passkeys-switch": async () => {
    const status = async (side: "latchkey") => {
      const providers = [{ id: "passkey", name: "Passkey", type: "webauthn" }]
      const { adapter } = createStore([])
      const methods = ["createAuthenticator", "getAuthenticator", "listAuthenticatorsByUserId"]
      const authenticators = Object.fromEntries(
        [...methods, "updateAuthenticatorCounter", "getAccount"].map((name) => [name, async () => null]),
      )
      const site = await startBoth[side](base({ providers, adapter: { ...adapter, ...authenticators } }))
      return (await site.browser().get("/auth/signin")).status
    }
    // After this configuration, Auth.js would require such an adapter of every later site in this process.
    expect(await status("latchkey")).toBe(200)
  },

  "start-limit": async () => {
    const statuses = async (side: keyof typeof startBoth) => {
      const providers = [(side === "authjs" ? TheirGitHub : GitHub)({ clientId: "a", clientSecret: "b" })]
      const browser = (await startBoth[side](base({ providers, rateLimit: { oauthSignInsPerClient: 2 } }))).browser()
      const csrfToken = await browser.csrf()
      const pages = []
      for (let i = 0; i < 3; i++) pages.push((await browser.post("/auth/signin/github", { csrfToken })).status)
      return pages
    }
    expect(await statuses("authjs")).toEqual([302, 302, 302])
    expect(await statuses("latchkey")).toEqual([302, 302, 429])
  },

  "bounded-calls": async () => {
    const op = await startFaultyProvider()
    open.push(op)
    const landing = async (side: "authjs" | "latchkey", provider: object) => {
      const browser = (await startBoth[side](base({ providers: [provider] }))).browser()
      return (await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })).location
    }
    // Auth.js would request this URL and wait for a server that does not respond.
    const elsewhere = op.oidc({ issuer: "http://id.example.invalid" })
    expect(() => authMiddleware(latchkey({ providers: [elsewhere] }))).toThrow("allowInsecure: true")
    op.set({ fault: { discovery: "hang" } })
    const waiting = landing("authjs", op.oidc()).catch(() => "nothing came")
    const pause = new Promise((resolve) => setTimeout(resolve, 9_000, "still waiting"))
    const started = Date.now()
    expect(await landing("latchkey", op.oidc())).toContain("error=OAuthCallbackError")
    expect(Date.now() - started).toBeLessThan(8_900)
    expect(await Promise.race([waiting, pause])).toBe("still waiting")
    op.reset()
    await op.close()
    await waiting
  },

  // Runs before the tests with email, after which Auth.js requires an adapter of every site in this process.
  "answer-once": async () => {
    const op = await startFaultyProvider()
    open.push(op)
    const codesSent = async (side: keyof typeof startBoth) => {
      op.reset()
      op.requests.length = 0
      op.set({ reusableCodes: true })
      const provider = createStage(side, op).op.oidc({ checks: ["pkce", "state", "nonce"] })
      const browser = (await startBoth[side](base({ providers: [provider] }))).browser()
      const start = await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })
      const back = await op.authorize(start.location)
      await Promise.all([browser.clone(), browser.clone()].map((copy) => copy.get(back)))
      return op.count("/token")
    }
    expect(await codesSent("authjs")).toBe(2)
    expect(await codesSent("latchkey")).toBe(1)
  },

  "mail-newest": async () => {
    const works = async (side: keyof typeof startBoth) => {
      const { mailed, adapter } = mailSite()
      const site = await startBoth[side](base(adapter))
      const browsers = [site.browser(), site.browser()]
      for (const browser of browsers) await askForLink(browser)
      const landings = []
      for (const [i, browser] of browsers.entries()) landings.push((await openLink(browser, mailed[i] ?? "")).location)
      return landings.map((location) => !location.includes("error="))
    }
    expect(await works("authjs")).toEqual([true, true])
    expect(await works("latchkey")).toEqual([false, true])
  },

  "mail-timeout": async () => {
    const waitFor = async (side: keyof typeof startBoth) => {
      const { adapter } = mailSite({ sendTimeout: 0.2, sendVerificationRequest: () => new Promise(() => {}) })
      const browser = (await startBoth[side](base(adapter))).browser()
      const controller = new AbortController()
      const answer = askForLink(browser, { signal: controller.signal }).then(
        ({ location }) => location,
        () => "given up",
      )
      const first = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 1_500, "still waiting"))])
      controller.abort()
      await answer
      return first
    }
    expect(await waitFor("authjs")).toBe("still waiting")
    expect(await waitFor("latchkey")).toMatch(/error=EmailSignin$/)
  },

  "mail-user-id": async () => {
    const readIds = async (side: keyof typeof startBoth) => {
      const { mailed, adapter } = mailSite()
      const messages: { user: { id: string }; account: { userId: string } }[] = []
      const events = { signIn: (message: (typeof messages)[number]) => void messages.push(message) }
      const browser = (await startBoth[side](base({ ...adapter, events }))).browser()
      await askForLink(browser)
      await openLink(browser, mailed[0] ?? "")
      return messages.map(({ user, account }) => [user.id, account.userId])
    }
    expect(await readIds("authjs")).toEqual([["user-1", expect.stringMatching(/^[\da-f-]{36}$/)]])
    expect(await readIds("latchkey")).toEqual([["user-1", "user-1"]])
  },

  "mail-pre-registered": async () => {
    const op = await startFaultyProvider()
    open.push(op)
    const attackerStaysIn = async (side: keyof typeof startBoth, isVerified: boolean | undefined) => {
      op.reset()
      const { mailed, provider, adapter } = mailSite()
      const providers = [createStage(side, op).op.oidc({ checks: ["pkce", "state", "nonce"] }), provider]
      const site = await startBoth[side](base({ ...adapter, providers }))
      const [attacker, owner] = [site.browser(), site.browser()]
      op.set({ claims: (claims) => ({ ...claims, email: "ada@example.com", email_verified: isVerified }) })
      const start = await attacker.post("/auth/signin/oidc", { csrfToken: await attacker.csrf() })
      await attacker.get(await op.authorize(start.location))
      expect(await (await attacker.get("/auth/session")).json()).toMatchObject({ user: { email: "ada@example.com" } })
      await askForLink(owner)
      const { location } = await owner.get(mailed[0] ?? "")
      if (side === "latchkey")
        expect(await (await owner.get(location)).text()).toContain("<title>Sign-in Methods Removed</title>")
      return (await (await attacker.get("/auth/session")).json()) !== null
    }
    // A missing `email_verified` proves as little as `false`.
    for (const isVerified of [false, undefined]) {
      expect(await attackerStaysIn("authjs", isVerified)).toBe(true)
      expect(await attackerStaysIn("latchkey", isVerified)).toBe(false)
    }
  },

  "unverified-address": async () => {
    const op = await startFaultyProvider()
    open.push(op)
    const readUsers = async (side: keyof typeof startBoth, isVerified: boolean) => {
      op.reset()
      op.set({ claims: (claims) => ({ ...claims, email: "ada@example.com", email_verified: isVerified }) })
      const { users, adapter } = mailSite()
      users.push({ id: "stranger", email: "ada@example.com", emailVerified: null })
      const provider = createStage(side, op).op.oidc({ checks: ["pkce", "state", "nonce"] })
      const browser = (await startBoth[side](base({ ...adapter, providers: [provider] }))).browser()
      const start = await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })
      await browser.get(await op.authorize(start.location))
      return users.map(({ email }) => email)
    }
    expect(await readUsers("authjs", true)).toEqual(["ada@example.com"])
    expect(await readUsers("latchkey", true)).toEqual([null, "ada@example.com"])
    expect(await readUsers("latchkey", false)).toEqual(["ada@example.com", undefined])
  },

  "changed-address": async () => {
    const opened = await unstorageMemory.open()
    open.push(opened)
    const proofAfterChange = async ({ createUser, updateUser }: Adapter) => {
      const user = await createUser?.({ id: "1", email: "ada@example.com", emailVerified: new Date() })
      return (await updateUser?.({ id: user?.id ?? "", email: "eve@example.com" }))?.emailVerified ?? null
    }
    expect(await proofAfterChange(opened.adapter)).toEqual(expect.any(Date))
    expect(await proofAfterChange(MemoryAdapter())).toBeNull()
  },

  "adapter-methods": async () => {
    const mail = { id: "mail", name: "Mail", type: "email", sendVerificationRequest() {} }
    const { createVerificationToken, useVerificationToken, getUserByEmail } = createStore([]).adapter
    const config = { providers: [mail], adapter: { createVerificationToken, useVerificationToken, getUserByEmail } }
    const theirs = await startAuthjs(authjs(config))
    open.push(theirs)
    expect((await theirs.browser().get("/auth/csrf")).status).toBe(200)
    for (const strategy of ["jwt", "database"])
      expect(() => authMiddleware(latchkey({ ...config, session: { strategy } }))).toThrow("createUser")
    expect(() => authMiddleware(latchkey(config))).toThrow("createSession")
  },

  // The last test, because its effect on Auth.js remains in the process.
  "separate-configs": async () => {
    const mail = { id: "mail", name: "Mail", type: "email", sendVerificationRequest() {} }
    const first = await startAuthjs(authjs({ providers: [mail], adapter: createStore([]).adapter }))
    const second = await startAuthjs(authjs())
    open.push(first, second)
    await first.browser().get("/auth/csrf")
    expect((await second.browser().get("/auth/csrf")).status).toBe(500)
    const ours = await startLatchkey(latchkey())
    open.push(ours)
    // The result with the email provider does not matter.
    try {
      authMiddleware(latchkey({ providers: [mail] }))
    } catch {}
    expect((await ours.browser().get("/auth/csrf")).status).toBe(200)
  },
}

describe("differences that no single response shows", () => {
  it.each(Object.entries(CHECKS))("%s", (_, check) => check(), 40_000)
})

describe("docs/differences.md", () => {
  it("lists the differences of the table", () => {
    const check = spawnSync(process.execPath, ["scripts/differences.mjs", "--check"], {
      cwd: join(__dirname, "../.."),
      encoding: "utf8",
    })
    expect([check.status, check.stderr]).toEqual([0, ""])
  })
})

/**
 * With a required second factor, the first factor alone creates no session: with every method, on every store, with
 * both session strategies, and for every API that reads a session.
 */

import { getSession, migrateSession, optionalAuth, requireAuth, watchSession } from "../../../lib/index.js"
import Credentials from "../../../lib/providers/credentials.js"
import Passkey from "../../../lib/providers/passkey.js"
import type { AuthConfig } from "../../../lib/types.js"
import {
  type AppRequest,
  describeServer,
  type RunningApp,
  recordingLogger,
  type Start,
  TEST_SECRET,
} from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../../support/faulty-provider.js"
import { codeAt, enrol, FACTOR_PATH, submitCode } from "../../support/second-factor.js"
import { describeStores, type OpenStore } from "../../support/stores.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, type Mailbox, mailbox } from "../support/mail.js"
import * as passkeys from "../support/passkeys.js"
import { begin, named, sessionCookies, signIn } from "../support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

const ADA = "ada@example.com"
const STEP_MS = 30_000
const PROXY = "https://auth.example.test"
const EVENTS = ["signIn", "createUser", "linkAccount", "updateUser", "signOut"] as const

interface Site {
  readonly app: RunningApp
  /** The redirect proxy of one provider. */
  readonly proxy: RunningApp
  readonly mail: Mailbox
  readonly store: OpenStore
  readonly time: { now: number }
  readonly events: string[]
}

/** Returns the results of all APIs that read a session, for one request. */
async function readSession(req: AppRequest & Record<string, unknown>, config: AuthConfig) {
  const { locals } = req["res"] as { locals: Record<string, { user?: unknown }> }
  const error = (reason: Error) => reason.name
  return {
    getSession: await req.getSession(),
    locals: locals["auth"]?.user ?? null,
    socket: await getSession(req, config),
    watched: await watchSession(req, config, { onEnd: () => {}, until: req }),
    token: await (req["accessToken"] as (provider: string) => Promise<string>)("oidc").catch(error),
  }
}

async function startSite(start: Start, store: OpenStore, strategy: "jwt" | "database"): Promise<Site> {
  const [mail, time, events] = [mailbox({ emailCode: true }), { now: Date.now() }, [] as string[]]
  const authorize = async () => {
    const user = await store.adapter.getUserByEmail(ADA)
    return user && { id: user.id, email: ADA }
  }
  const formPost = op.oidc({ authorization: { params: { response_mode: "form_post" } } })
  const proxied = named(op.oidc({ redirectProxyUrl: `${PROXY}/auth` }), "proxied")
  // Without user verification, a passkey is one factor.
  const passkey = Passkey({ verifyAuthenticationOptions: { requireUserVerification: false } })
  const config: AuthConfig = {
    secret: TEST_SECRET,
    logger: recordingLogger().logger,
    providers: [
      ...[op.oidc(), op.oauth(), named(formPost, "posted"), proxied],
      ...[mail.provider, passkey, Credentials({ authorize })],
    ],
    adapter: store.adapter,
    session: { strategy },
    clock: () => time.now,
    rateLimit: false,
    secondFactor: { required: () => true, methods: ["totp", "recovery"] },
    events: Object.fromEntries(EVENTS.map((name) => [name, () => void events.push(name)])),
  }
  const migrate = migrateSession(config, {
    cookie: "old.sid",
    until: new Date(Date.now() + 86_400_000),
    read: async () => ({ user: { email: ADA } }),
  })
  const app = await start(config, {
    setup: (server) => server.use((req, res, next) => migrate(req, res, next)),
    routes(server) {
      server.use("/readers", (req, res, next) => {
        const read = req as AppRequest & Record<string, unknown>
        optionalAuth(read, res, () => {
          readSession(read, config).then((found) => res.end(JSON.stringify(found)), next)
        })
      })
      server.use("/pending", (req, res, next) => {
        const { pendingSignIn } = req as AppRequest & { pendingSignIn(): Promise<unknown> }
        pendingSignIn().then((found) => res.end(JSON.stringify(found)), next)
      })
      server.use("/guarded", requireAuth as never)
      server.use("/guarded", (_req, res) => res.end("in"))
    },
  })
  const shared = { secret: TEST_SECRET, logger: config.logger, providers: [proxied] }
  const proxy = await start({ ...shared, trustHost: true, redirectProxyOrigins: [app.origin] }, { origin: PROXY })
  return { app, proxy, mail, store, time, events }
}

const credentials = async (browser: Browser): Promise<Page> =>
  browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), callbackUrl: "/cart" })

interface Prepared {
  readonly browser: Browser
  readonly site: Site
  readonly passkey: passkeys.PasskeyKey
}

const METHODS: Readonly<Record<string, (prepared: Prepared) => Promise<Page>>> = {
  "OpenID Connect": ({ browser }) => signIn(browser, op, { callbackUrl: "/cart" }),
  OAuth({ browser }) {
    op.set({ plainOAuth: true, user: { id: "ada", login: "ada", name: "Ada", email: ADA } })
    return signIn(browser, op, { id: "oauth", callbackUrl: "/cart" })
  },
  async form_post({ browser }) {
    const { location } = await begin(browser, { id: "posted", callbackUrl: "/cart" })
    const { action, fields } = await op.authorizeByForm(location)
    const posted = await browser.post(action, fields, { from: op.issuer })
    return browser.get(posted.location, { from: op.issuer })
  },
  async "a redirect proxy"({ browser, site }) {
    const { location } = await begin(browser, { id: "proxied", callbackUrl: "/cart" })
    const back = await op.authorize(location)
    const forwarded = await site.proxy.browser({ secure: true }).get(back, { from: op.issuer })
    expect(forwarded.location).toContain(`${site.app.origin}/auth/callback/proxied?`)
    return browser.get(forwarded.location, { from: PROXY })
  },
  async "an email link"({ browser, site }) {
    await askForLink(browser, ADA, { callbackUrl: "/cart" })
    return browser.get(site.mail.linkTo(ADA))
  },
  async "an email code"({ browser, site }) {
    await askForLink(browser, ADA, { callbackUrl: "/cart" })
    const form = browser.form(await (await browser.get("/auth/verify-request")).text(), "callback/mail")
    return browser.submit(form, { code: site.mail.codeFor(ADA) })
  },
  credentials: ({ browser }) => credentials(browser),
  "a passkey without user verification": ({ browser, site, passkey }) =>
    passkeys.signIn(browser, passkey, site.app.origin, { isVerified: false }),
}

async function readRows({ store: { adapter } }: Site): Promise<unknown> {
  const user = await adapter.getUserByEmail(ADA)
  return [user, await adapter.listAccountsByUserId(String(user?.id))]
}

const NOTHING = { getSession: null, locals: null, socket: null, watched: null, token: "ReauthenticationRequired" }

/** Expects that no API returns a session. */
async function expectNoSession(browser: Browser): Promise<void> {
  expect(await (await browser.get("/readers")).json()).toEqual(NOTHING)
  expect(await (await browser.get("/auth/session")).json()).toBeNull()
  expect(
    (await browser.get("/guarded", { headers: { accept: "application/json", "sec-fetch-mode": "cors" } })).status,
  ).toBe(401)
  expect(sessionCookies(browser)).toEqual([])
}

describeStores("A required second factor", (kind) => {
  describeServer(kind.name, "Express 5", (start) => {
    describe.each(["jwt", "database"] as const)("with %s sessions", (strategy) => {
      let store: OpenStore
      let site: Site
      let passkey: passkeys.PasskeyKey
      let secret: string
      beforeAll(async () => {
        op.reset()
        store = await kind.create()
        site = await startSite(start, store, strategy)
        ;({ secret, passkey } = await signUp(site))
      })
      afterAll(() => store.close())
      beforeEach(() => {
        op.reset()
        op.set({ user: { sub: "ada", name: "Ada", email: ADA, email_verified: true } })
        site.time.now += STEP_MS
        site.events.length = 0
      })

      it.each(Object.keys(METHODS))("stops a sign-in with %s until the user enters the code", async (name) => {
        const browser = site.app.browser()
        const before = await readRows(site)
        const stopped = await METHODS[name]?.({ browser, site, passkey })
        expect(stopped?.location).toBe(`${site.app.origin}${FACTOR_PATH}`)
        await expectNoSession(browser)
        expect([await readRows(site), site.events]).toEqual([before, []])
        const done = await submitCode(browser, { code: codeAt(secret, site.time.now) })
        expect(done.location).toMatch(/\/(cart|me)$/)
        expect(await (await browser.get("/readers")).json()).toMatchObject({ getSession: { user: { email: ADA } } })
        expect(site.events).toContain("signIn")
      })

      it("stops a migrated session of another library", async () => {
        const browser = site.app.browser()
        browser.setCookie("old.sid", "1")
        await expectNoSession(browser)
        const page = `${site.app.origin}${FACTOR_PATH}`
        expect(await (await browser.get("/pending")).json()).toMatchObject({ requirement: "second-factor", page })
        await submitCode(browser, { code: codeAt(secret, site.time.now) })
        expect(await (await browser.get("/readers")).json()).toMatchObject({ getSession: { user: { email: ADA } } })
      })
    })
  })
})

/** Signs up Ada with an authenticator app, a passkey, and an account of each provider. */
async function signUp(site: Site): Promise<{ secret: string; passkey: passkeys.PasskeyKey }> {
  const { app, mail, store, time } = site
  const browser = app.browser()
  await askForLink(browser, ADA)
  await browser.get(mail.linkTo(ADA))
  const { secret } = await enrol(browser, { timeMs: time.now })
  const { passkey } = await passkeys.register(browser, app.origin)
  const userId = String((await store.adapter.getUserByEmail(ADA))?.id)
  for (const provider of ["oidc", "oauth", "posted", "proxied"])
    await store.adapter.linkAccount({ userId, provider, providerAccountId: "ada", type: "oidc" })
  return { secret, passkey }
}

/** Access tokens for the provider's API: `req.accessToken()`, `req.authorizedFetch()` and `requireAuth({ provider })`. */
import { createHash } from "node:crypto"
import { getAccessToken, requireAuth } from "../../../lib/index.js"
import type { AccessTokenOptions, AuthorizedFetch } from "../../../lib/provider-access.js"
import Credentials from "../../../lib/providers/credentials.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import {
  type AppRequest,
  describeServers,
  recordingLogger,
  SERVERS,
  type Start,
  TEST_SECRET,
} from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import type { Claims, ProviderMode } from "../../support/faulty-provider.js"
import { visibleText } from "../../support/html.js"
import { until } from "../../support/wait.js"
import { guardProcess } from "../support/guard.js"
import { memoryStore } from "../support/memory-adapter.js"
import { JUST_AUTHENTICATED, signIn } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
const HOUR_MS = 3_600_000
const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url")

interface ApiRequest extends AppRequest {
  accessToken(provider: string, options?: AccessTokenOptions): Promise<string>
  authorizedFetch(provider: string): AuthorizedFetch
}

describeServers(
  "access tokens",
  (start: Start) => {
    async function open(config: Partial<AuthConfig> = {}, provider: object = {}) {
      op.requests.length = 0
      const time = { now: Date.now() }
      const { logger, records } = recordingLogger()
      const store = MemoryStore()
      const { adapter } = memoryStore()
      const complete: AuthConfig = {
        providers: [op.oidc(provider)],
        secret: TEST_SECRET,
        logger,
        store,
        adapter,
        clock: () => time.now,
        rateLimit: false,
        ...config,
      }
      const app = await start(complete, {
        routes: (application) => {
          application.use("/token", (req, res, next) => {
            const { searchParams } = new URL(req.url ?? "", "http://app.test")
            const options = JSON.parse(searchParams.get("options") ?? "{}")
            ;(req as ApiRequest).accessToken("oidc", options).then((token) => res.end(token), next)
          })
          application.use("/calendar", requireAuth({ provider: "oidc", scope: "openid calendar" }) as never)
          application.use("/calendar", (_, res) => res.end("the calendar"))
        },
      })
      const browser = app.browser()
      return { app, browser, config: complete, records, time, store }
    }
    const ask = async (browser: Browser, options: AccessTokenOptions = {}) => {
      const page = await browser.get(`/token?options=${encodeURIComponent(JSON.stringify(options))}`)
      return page.status === 200 ? page.text() : page.status
    }
    const tokenRequests = () => op.to("/token").filter(({ form }) => form["grant_type"] === "refresh_token").length
    const expiring: ProviderMode = { token: (json) => ({ ...json, expires_in: 3600 }) }

    it("are returned without a request to the provider while they are valid", async () => {
      op.set(expiring)
      const { browser } = await open()
      await signIn(browser, op)
      const token = await ask(browser)
      expect(token).toMatch(/^at-/)
      expect([await ask(browser), tokenRequests()]).toEqual([token, 0])
    })

    it("are renewed once for parallel requests after they have expired", async () => {
      op.set(expiring)
      const { browser, time } = await open()
      await signIn(browser, op)
      const old = await ask(browser)
      time.now += HOUR_MS
      const tokens = new Set(await Promise.all(Array.from({ length: 20 }, () => ask(browser.clone()))))
      expect([tokens.size, tokens.has(old), tokenRequests()]).toEqual([1, false, 1])
      expect([...tokens][0]).toMatch(/^at-/)
    })

    it("are renewed in the background in the last tenth of their lifetime", async () => {
      op.set(expiring)
      const { browser, time } = await open()
      await signIn(browser, op)
      const old = await ask(browser)
      time.now += HOUR_MS * 0.95
      expect(await ask(browser)).toBe(old)
      await until(async () => (await ask(browser)) !== old)
      expect(tokenRequests()).toBe(1)
    })

    it("are valid for minValidSeconds, or for a quarter of a short lifetime", async () => {
      op.set({ token: (json) => ({ ...json, expires_in: 40 }) })
      const { browser, time } = await open()
      await signIn(browser, op)
      const old = await ask(browser)
      time.now += 29_000
      expect(await ask(browser, { minValidSeconds: 300 })).toBe(old)
      time.now += 2_000
      expect(await ask(browser, { minValidSeconds: 300 })).not.toBe(old)
    })

    it("require a new sign-in after the provider has rejected the refresh token, which is sent only once", async () => {
      op.set(expiring)
      const { app, browser, time } = await open()
      await signIn(browser, op)
      time.now += HOUR_MS
      op.set({ fault: { token: { status: 400, body: { error: "invalid_grant" } } } })
      expect([await ask(browser), await ask(browser), tokenRequests()]).toEqual([401, 401, 1])
      expect(app.errors.at(-1)).toMatchObject({
        type: "ReauthenticationRequired",
        messageCode: "reauthentication-required",
        url: `${app.origin}/auth/signin/oidc?callbackUrl=%2Ftoken%3Foptions%3D%257B%257D`,
      })
      op.reset()
      op.set(expiring)
      await signIn(browser, op)
      expect(await ask(browser)).toMatch(/^at-/)
    })

    it("require a new sign-in with a separate error for each parallel request, which has the URL of its page", async () => {
      op.set(expiring)
      const { app, browser, time } = await open()
      await signIn(browser, op)
      time.now += HOUR_MS
      op.set({ fault: { token: { status: 400, body: { error: "invalid_grant" } } } })
      const paths = ["/token?page=1", "/token?page=2"]
      await Promise.all(paths.map((path) => browser.clone().get(path)))
      const urls = app.errors.map((error) => new URL(String(Reflect.get(Object(error), "url"))))
      expect(urls.map(({ searchParams }) => searchParams.get("callbackUrl")).sort()).toEqual(paths)
      expect(tokenRequests()).toBe(1)
      expect(app.errors[0]).toMatchObject({
        message: "the provider has rejected the refresh token",
        cause: { provider: "oidc", err: { message: expect.stringContaining('answered "invalid_grant"') } },
      })
    })

    it.each<[string, NonNullable<NonNullable<ProviderMode["fault"]>["token"]>]>([
      ["is down", "reset"],
      ["responds with 503", { status: 503, body: {} }],
      ["responds with a refusal of the client", { status: 401, body: { error: "invalid_client" } }],
    ])(
      "are returned while they are valid if the provider %s, and the provider gets one request in two seconds",
      async (_, token) => {
        op.set(expiring)
        const { app, browser, time } = await open()
        await signIn(browser, op)
        const old = await ask(browser)
        op.set({ fault: { token } })
        time.now += HOUR_MS - 30_000
        expect([await ask(browser), await ask(browser), tokenRequests()]).toEqual([old, old, 1])
        time.now += 60_000
        expect([await ask(browser), await ask(browser), tokenRequests()]).toEqual([502, 502, 2])
        expect(app.errors.at(-1)).toMatchObject({ type: "ProviderUnavailable", messageCode: "provider-unreachable" })
        op.reset()
        op.set({ clockOffsetSeconds: 3_600 })
        time.now += 3_000
        expect(await ask(browser)).toMatch(/^at-/)
      },
    )

    it.each<[string, Claims, number]>([
      ["another sub", { sub: "bob" }, 401],
      ["the same sub in another case", { sub: "Alice" }, 401],
      ["no sub", { sub: undefined }, 502],
      ["another issuer", { iss: "https://evil.test" }, 502],
      ["another audience", { aud: "another-client" }, 502],
    ])("OID-49: are not replaced if the id_token of the renewal has %s", async (_, change, status) => {
      op.set(expiring)
      const { app, browser, time } = await open()
      await signIn(browser, op)
      time.now += HOUR_MS
      op.set({ clockOffsetSeconds: 3_600, claims: (claims) => ({ ...claims, ...change }) })
      expect(await ask(browser)).toBe(status)
      const message = "the provider has returned the tokens of another user"
      expect(app.errors.some((error) => Object(error).message === message)).toBe(status === 401)
    })

    it("keep the refresh token of an earlier sign-in if a later one returns none", async () => {
      op.set(expiring)
      const { browser, time } = await open()
      await signIn(browser, op)
      op.set({ token: ({ refresh_token: _, ...json }) => ({ ...json, expires_in: 3600 }) })
      await signIn(browser, op)
      op.set(expiring)
      time.now += HOUR_MS
      expect([await ask(browser), tokenRequests()]).toEqual([expect.stringMatching(/^at-/), 1])
    })

    it("are replaced by a sign-in if the secret that encrypted them was removed", async () => {
      op.set(expiring)
      const memory = memoryStore()
      const { browser, store } = await open({ adapter: memory.adapter })
      await signIn(browser, op)
      const old = await ask(browser)
      const secret = "another secret for tests alone, of fifty-six letters in all"
      const { browser: other } = await open({ adapter: memory.adapter, store, secret })
      await signIn(other, op)
      expect(await ask(other)).toMatch(/^at-/)
      expect(await ask(other)).not.toBe(old)
    })

    it("are encrypted in the store, and not in the adapter, the session, the log or an error", async () => {
      op.set(expiring)
      const memory = memoryStore()
      const { app, browser, store, records } = await open({ adapter: memory.adapter })
      await signIn(browser, op)
      op.set({ fault: { token: "reset" } })
      const secrets = [...op.secrets].filter((text) => /^(at|rt)-/.test(text))
      expect(secrets.length).toBeGreaterThan(1)
      const owner = String([...memory.users.keys()][0])
      const stored = await store.list("token", sha256(owner))
      expect(stored).toHaveLength(1)
      const everything = [stored, memory.accounts, records, app.errors, await (await browser.get("/me")).text()]
      for (const secret of secrets) expect(JSON.stringify(everything)).not.toContain(secret)
    })

    it("are stored in the adapter with keepTokens: false, and the error names the option to remove", async () => {
      const memory = memoryStore()
      const { app, browser } = await open({ adapter: memory.adapter }, { keepTokens: false })
      await signIn(browser, op)
      expect(memory.accounts[0]?.access_token).toMatch(/^at-/)
      expect(await ask(browser)).toBe(500)
      expect(String(app.errors.at(-1))).toContain("keepTokens: false")
    })

    it("require a store, and the error contains the code to add", async () => {
      const { app, browser } = await open({ store: undefined })
      await signIn(browser, op)
      expect(await ask(browser)).toBe(500)
      expect(app.errors.at(-1)).toMatchObject({
        messageCode: "store-missing",
        message: expect.stringContaining("{ store: RedisStore(redis) }"),
      })
    })

    it("require a visitor without a session to sign in", async () => {
      const { app } = await open()
      expect(await ask(app.browser())).toBe(401)
      expect(app.errors.at(-1)).toMatchObject({ url: expect.stringContaining("/auth/signin/oidc?callbackUrl=") })
    })

    it("are available to jobs by getAccessToken, for the owner of the session", async () => {
      op.set(expiring)
      const memory = memoryStore()
      const { browser, config } = await open({ adapter: memory.adapter })
      await signIn(browser, op)
      const [owner = ""] = memory.users.keys()
      expect(await getAccessToken(config, { owner, provider: "oidc" })).toBe(await ask(browser))
      await expect(getAccessToken(config, { owner: "nobody", provider: "oidc" })).rejects.toThrow(
        "there is no token of this provider for the user",
      )
      await expect(getAccessToken(config, { owner, provider: "odic" })).rejects.toThrow('Pass one of "oidc"')
    })

    it("need providerAccountId for a user with several accounts, unless one of them opened the session", async () => {
      op.set(expiring)
      const memory = memoryStore()
      const { browser, config } = await open({ adapter: memory.adapter })
      op.set(JUST_AUTHENTICATED)
      await signIn(browser, op)
      op.set({ user: { sub: "bob", name: "Bob", email: "bob@example.com", email_verified: true } })
      await signIn(browser, op)
      const [owner = ""] = memory.users.keys()
      expect(memory.accounts.map(({ userId }) => userId)).toEqual([owner, owner])
      const request = { owner, provider: "oidc" }
      const failure: unknown = await getAccessToken(config, request).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(TypeError)
      expect(String(failure)).toContain("the user has 2 accounts at oidc")
      expect(String(failure)).not.toMatch(/alice|bob/)
      const aliceToken = await getAccessToken(config, { ...request, providerAccountId: "alice" })
      expect(await ask(browser)).toBe(aliceToken)
      expect(await ask(browser, { providerAccountId: "bob" })).not.toBe(aliceToken)
    })

    describe("with requireAuth({ provider, scope })", () => {
      it("redirects the user to the provider for the missing scope, and requests the earlier scopes too", async () => {
        op.set(expiring)
        const { browser } = await open()
        await signIn(browser, op)
        const sent = await browser.get("/calendar", { headers: { accept: "text/html" } })
        const { searchParams } = new URL(sent.location)
        expect([sent.status, searchParams.get("scope")]).toEqual([302, "openid profile email calendar"])
        op.set({ ...expiring, token: (json) => ({ ...json, expires_in: 3600, scope: searchParams.get("scope") }) })
        const returned = await browser.get(await op.authorize(sent.location), { from: new URL(op.issuer).origin })
        expect(new URL(returned.location).pathname).toBe("/calendar")
        expect(await (await browser.get("/calendar")).text()).toBe("the calendar")
      })

      it.each<[string, object, string]>([
        ["spaces", {}, "openid profile email calendar"],
        ["the vendor's separator", { scopeSeparator: "," }, "openid,profile,email,calendar"],
      ])("joins the requested scopes with %s if the provider returned commas", async (_, provider, expected) => {
        op.set({ token: (json) => ({ ...json, expires_in: 3600, scope: "openid,profile,email" }) })
        const { browser } = await open({}, provider)
        await signIn(browser, op)
        const page = () => browser.get("/calendar", { headers: { accept: "text/html" } })
        const { location } = await page()
        expect(new URL(location).searchParams.get("scope")).toBe(expected)
        await browser.get(await op.authorize(location), { from: new URL(op.issuer).origin })
        expect((await page()).status).toBe(403)
      })

      it("denies access to a user who has just declined the scope, instead of a redirect loop", async () => {
        op.set(expiring)
        const { browser, time } = await open()
        await signIn(browser, op)
        const page = () => browser.get("/calendar", { headers: { accept: "text/html" } })
        op.set({ token: (json) => ({ ...json, expires_in: 3600, scope: "openid profile email" }) })
        await browser.get(await op.authorize((await page()).location), { from: new URL(op.issuer).origin })
        expect((await page()).status).toBe(403)
        time.now += 61_000
        expect((await page()).status).toBe(302)
      })

      it("redirects a user whose tokens were just renewed to the provider, because only a sign-in can add a scope", async () => {
        op.set(expiring)
        const { browser, time } = await open()
        await signIn(browser, op)
        const page = () => browser.get("/calendar", { headers: { accept: "text/html" } })
        op.set({ token: (json) => ({ ...json, expires_in: 3600, scope: "openid profile email" }) })
        await browser.get(await op.authorize((await page()).location), { from: new URL(op.issuer).origin })
        const old = await ask(browser)
        time.now += HOUR_MS
        op.set({ clockOffsetSeconds: 3_600 })
        expect(await ask(browser)).not.toBe(old)
        expect((await page()).status).toBe(302)
      })

      it("refuses an account other than the user's", async () => {
        const memory = memoryStore()
        const { browser } = await open({ adapter: memory.adapter })
        await signIn(browser, op)
        const sent = await browser.get("/calendar", { headers: { accept: "text/html" } })
        op.set({ user: { sub: "mallory", email: "mallory@example.com" } })
        const returned = await browser.get(await op.authorize(sent.location), { from: new URL(op.issuer).origin })
        expect(new URL(returned.location).searchParams.get("error")).toBe("OAuthAccountNotLinked")
        expect(memory.accounts).toHaveLength(1)
      })

      it("redirects a user without an account at the provider to the sign-in page first", async () => {
        const { browser, app } = await open({
          providers: [op.oidc(), Credentials({ authorize: () => ({ id: "ada", name: "Ada" }), credentials: {} })],
          session: { strategy: "jwt" },
        })
        const csrfToken = await browser.csrf()
        await browser.post("/auth/callback/credentials", { csrfToken })
        const sent = await browser.get("/calendar", { headers: { accept: "text/html" } })
        expect(sent.location).toBe(`${app.origin}/auth/signin/oidc?callbackUrl=%2Fcalendar`)
      })

      it("lets a user with several accounts choose one, if none of them opened the session", async () => {
        const memory = memoryStore()
        const passwords = Credentials({ authorize: () => ({ id: [...memory.users.keys()][0] ?? "" }), credentials: {} })
        const { browser, app } = await open({
          adapter: memory.adapter,
          providers: [op.oidc(), passwords],
          session: { strategy: "jwt" },
        })
        op.set({ ...JUST_AUTHENTICATED, token: (json) => ({ ...json, scope: "openid calendar" }) })
        await signIn(browser, op)
        op.set({ user: { sub: "bob", name: "Bob", email: "bob@example.com", email_verified: true } })
        await signIn(browser, op)
        const other = app.browser()
        await other.post("/auth/callback/credentials", { csrfToken: await other.csrf() })
        const page = () => other.get("/calendar", { headers: { accept: "text/html" } })
        expect((await page()).location).toBe(`${app.origin}/auth/signin/oidc?callbackUrl=%2Fcalendar`)
        const { detail } = await (await other.get("/calendar", { headers: { "sec-fetch-mode": "cors" } })).json()
        expect(detail).toBe(
          "Sign in with oidc first: the user has 2 accounts at oidc, and it is unknown which one is meant.",
        )
        await signIn(other, op)
        expect(await (await page()).text()).toBe("the calendar")
      })

      it("answers a form with 401 and a page that does not claim that the session has ended", async () => {
        const { browser, app } = await open()
        await signIn(browser, op)
        const page = await browser.post("/calendar", {}, { headers: { "sec-fetch-mode": "navigate" } })
        const html = await page.text()
        expect(page.status).toBe(401)
        expect(visibleText(html)).toMatch(/^Sign in What you sent was not saved\. Please sign in and send it again\./)
        expect(html).toContain(`href="${app.origin}/auth/signin/oidc`)
      })

      it("answers a script with 403 and the reason", async () => {
        const { browser } = await open()
        await signIn(browser, op)
        const page = await browser.get("/calendar", { headers: { "sec-fetch-mode": "cors" } })
        expect([page.status, await page.json()]).toEqual([
          403,
          expect.objectContaining({
            detail: 'Sign in with oidc first: the user has not granted the scope "openid calendar".',
          }),
        ])
      })
    })
  },
  SERVERS,
)

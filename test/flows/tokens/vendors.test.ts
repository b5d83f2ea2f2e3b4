/** The tokens of Google, Microsoft, GitHub and Slack, which the tests imitate as their documentation states. */
import { type AccessTokenOptions, requireAuth } from "../../../lib/index.js"
import type { OAuthConfig } from "../../../lib/provider-kit/provider.js"
import GitHub from "../../../lib/providers/github.js"
import Google from "../../../lib/providers/google.js"
import MicrosoftEntraID from "../../../lib/providers/microsoft-entra-id.js"
import Slack from "../../../lib/providers/slack.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { type AppRequest, describeServer, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import type { Claims } from "../../support/faulty-provider.js"
import { documentedConfig } from "../support/documented.js"
import { guardProcess } from "../support/guard.js"
import { memoryStore } from "../support/memory-adapter.js"
import { begin } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"
import { useVendorServer, type VendorReply } from "./vendor-server.js"

guardProcess()

const op = useProvider()
const vendor = useVendorServer()
const HOUR_MS = 3_600_000
const CLIENT = { clientId: "the-client", clientSecret: "the-secret" }

interface ApiRequest extends AppRequest {
  accessToken(provider: string, options?: AccessTokenOptions): Promise<string>
}

describeServer("the tokens of", "Express 5", (start) => {
  // biome-ignore lint/suspicious/noExplicitAny: each provider has a profile of its own
  async function open(provider: OAuthConfig<any>, scope = "") {
    const time = { now: Date.now() }
    const { logger } = recordingLogger()
    const { id } = provider
    const config: AuthConfig = {
      providers: [provider],
      secret: TEST_SECRET,
      logger,
      store: MemoryStore(),
      adapter: memoryStore().adapter,
      clock: () => time.now,
      rateLimit: false,
    }
    const app = await start(config, {
      routes: (application) => {
        application.use("/token", (req, res, next) => {
          ;(req as ApiRequest).accessToken(id).then((token) => res.end(token), next)
        })
        application.use("/guarded", requireAuth({ provider: id, ...(scope && { scope }) }) as never)
        application.use("/guarded", (_, res) => res.end("the page"))
      },
    })
    const browser = app.browser()
    const ask = async () => {
      const page = await browser.get("/token")
      return page.status === 200 ? page.text() : page.status
    }
    const openPage = () => browser.get("/guarded", { headers: { accept: "text/html" } })
    return { app, browser, time, id, ask, openPage }
  }
  type Site = Awaited<ReturnType<typeof open>>

  /** Opens the page of the OpenID provider, and returns to the application. */
  const authorize = async (browser: Browser, location: string) =>
    browser.get(await op.authorize(location), { from: new URL(op.issuer).origin })
  const signIn = async ({ browser, id }: Site) => authorize(browser, (await begin(browser, { id })).location)
  const refreshes = () => op.to("/token").filter(({ form }) => form["grant_type"] === "refresh_token")

  /** Opens the callback as a vendor without OpenID Connect redirects to it. */
  async function returnFromVendor({ browser, id, app }: Site, location: string) {
    const state = new URL(location).searchParams.get("state") ?? ""
    const query = new URLSearchParams({ code: "the-code", state })
    return browser.get(`${app.origin}/auth/callback/${id}?${query}`, { from: vendor.origin })
  }
  const signInAtVendor = async (site: Site) =>
    returnFromVendor(site, (await begin(site.browser, { id: site.id })).location)

  describe("Google", () => {
    const SCOPES: Readonly<Record<string, string>> = {
      email: "https://www.googleapis.com/auth/userinfo.email",
      profile: "https://www.googleapis.com/auth/userinfo.profile",
    }

    /** Google returns a refresh token only with `access_type=offline`, at the first consent or `prompt=consent`. */
    function behaveAsGoogle() {
      let hasConsented = false
      op.reset()
      op.requests.length = 0
      op.set({
        reusableCodes: true,
        token: ({ refresh_token, scope, ...json }: Claims) => {
          const { query } = op.last("/authorize")
          const isExchange = op.last("/token").form["grant_type"] === "authorization_code"
          const isConsent = !hasConsented || query["prompt"] === "consent"
          if (isExchange) hasConsented = true
          const names = String(scope).split(" ")
          return {
            ...json,
            expires_in: 3599,
            scope: names.map((name) => SCOPES[name] ?? name).join(" "),
            ...(isExchange && isConsent && query["access_type"] === "offline" && { refresh_token }),
          }
        },
      })
    }
    const google = (params: object) =>
      Google({ ...op.client, issuer: op.base, authorization: { params: { scope: "openid email profile", ...params } } })

    it("are renewed with the refresh token of the first consent, also after a sign-in that returned none", async () => {
      behaveAsGoogle()
      const site = await open(google({ access_type: "offline" }))
      await signIn(site)
      await signIn(site)
      const old = await site.ask()
      for (const _ of [1, 2]) {
        site.time.now += HOUR_MS
        op.set({ clockOffsetSeconds: (site.time.now - Date.now()) / 1000 })
        expect(await site.ask()).toMatch(/^at-/)
      }
      expect(await site.ask()).not.toBe(old)
      const used = refreshes().map(({ form }) => form["refresh_token"])
      expect([used.length, new Set(used).size]).toEqual([2, 1])
    })

    it("can't be renewed without access_type=offline", async () => {
      behaveAsGoogle()
      const site = await open(google({}))
      await signIn(site)
      expect(await site.ask()).toMatch(/^at-/)
      site.time.now += HOUR_MS
      expect([await site.ask(), refreshes().length]).toEqual([401, 0])
    })

    it("have the scopes email and profile, which Google returns as URLs", async () => {
      behaveAsGoogle()
      const site = await open(google({ access_type: "offline" }), "openid email profile")
      await signIn(site)
      expect(await (await site.openPage()).text()).toBe("the page")
    })

    it("require a new sign-in after the user has revoked the access", async () => {
      behaveAsGoogle()
      const site = await open(google({ access_type: "offline" }))
      await signIn(site)
      site.time.now += HOUR_MS
      const body = { error: "invalid_grant", error_description: "Token has been expired or revoked." }
      op.set({ fault: { token: { status: 400, body } } })
      expect(await site.ask()).toBe(401)
    })
  })

  describe("Microsoft", () => {
    const TENANT = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /**
     * Microsoft returns a refresh token only with `offline_access`. It omits this scope, and returns the scopes of Graph
     * as URLs.
     */
    function behaveAsMicrosoft() {
      op.reset()
      op.requests.length = 0
      op.set({
        claims: (claims) => ({ ...claims, tid: TENANT }),
        token: ({ refresh_token, scope, ...json }: Claims) => {
          const names = String(scope).split(" ")
          const graph = names.filter((name) => name !== "offline_access" && name !== "User.Read")
          const granted = [...graph, ...(names.includes("User.Read") ? ["https://graph.microsoft.com/User.Read"] : [])]
          const isOffline = names.includes("offline_access")
          return { ...json, expires_in: 3600, scope: granted.join(" "), ...(isOffline && { refresh_token }) }
        },
      })
    }
    const microsoft = (scope: string) =>
      MicrosoftEntraID({
        ...op.client,
        issuer: op.base,
        profilePhotoSize: false,
        authorization: { params: { scope } },
      })

    it("are renewed with offline_access, and each refresh token is used once", async () => {
      behaveAsMicrosoft()
      const site = await open(microsoft("openid email User.Read offline_access"))
      await signIn(site)
      for (const _ of [1, 2]) {
        site.time.now += HOUR_MS
        op.set({ clockOffsetSeconds: (site.time.now - Date.now()) / 1000 })
        expect(await site.ask()).toMatch(/^at-/)
      }
      expect(new Set(refreshes().map(({ form }) => form["refresh_token"])).size).toBe(2)
    })

    it("have the scopes offline_access and User.Read, which Microsoft omits or returns in another form", async () => {
      behaveAsMicrosoft()
      const site = await open(microsoft("openid email User.Read offline_access"), "user.read offline_access")
      await signIn(site)
      expect(await (await site.openPage()).text()).toBe("the page")
    })

    it("can't be renewed without offline_access", async () => {
      behaveAsMicrosoft()
      const site = await open(microsoft("openid email User.Read"))
      await signIn(site)
      site.time.now += HOUR_MS
      expect([await site.ask(), refreshes().length]).toEqual([401, 0])
    })

    it.each([
      ["invalid_grant", "AADSTS700082: The refresh token has expired due to inactivity."],
      ["interaction_required", "AADSTS50076: Due to a configuration change made by your administrator"],
    ])("require a new sign-in after %s", async (error, error_description) => {
      behaveAsMicrosoft()
      const site = await open(microsoft("openid email offline_access"))
      await signIn(site)
      site.time.now += HOUR_MS
      op.set({ fault: { token: { status: 400, body: { error, error_description, suberror: "basic_action" } } } })
      expect(await site.ask()).toBe(401)
    })
  })

  describe("GitHub", () => {
    const USER = { id: 1, login: "octocat", name: "Octocat", email: "octocat@example.com", avatar_url: "" }

    function behaveAsGitHub(token: (form: Readonly<Record<string, string>>) => unknown) {
      vendor.answer = ({ path, form }): VendorReply => {
        if (path === "/login/oauth/access_token") return { body: token(form) }
        return path === "/api/v3/user" ? { body: USER } : { status: 404, body: {} }
      }
    }
    const github = (params: object = {}) =>
      GitHub({ ...CLIENT, enterprise: { baseUrl: vendor.origin }, authorization: { params } })

    it("of an OAuth app do not expire", async () => {
      behaveAsGitHub(() => ({ access_token: "gho_1", scope: "repo,user:email", token_type: "bearer" }))
      const site = await open(github(), "user:email repo")
      await signInAtVendor(site)
      site.time.now += 24 * HOUR_MS
      expect(await site.ask()).toBe("gho_1")
      expect(await (await site.openPage()).text()).toBe("the page")
      expect(vendor.calls.filter(({ path }) => path.endsWith("access_token"))).toHaveLength(1)
    })

    /** Each refresh token works once; a rejection has status 200. */
    function behaveAsGitHubApp() {
      let count = 0
      behaveAsGitHub(({ grant_type, refresh_token }) => {
        if (grant_type === "refresh_token" && refresh_token !== `ghr_${count}`)
          return {
            error: "bad_refresh_token",
            error_description: "The refresh token passed is incorrect or expired.",
          }
        count++
        return {
          access_token: `ghu_${count}`,
          expires_in: 28800,
          refresh_token: `ghr_${count}`,
          refresh_token_expires_in: 15897600,
          scope: "",
          token_type: "bearer",
        }
      })
      return {
        revoke: () => {
          count = -1
        },
      }
    }

    it("of a GitHub App expire after eight hours, and each refresh token is used once", async () => {
      behaveAsGitHubApp()
      const site = await open(github())
      await signInAtVendor(site)
      const tokens = []
      for (const _ of [1, 2, 3]) {
        tokens.push(await site.ask())
        site.time.now += 8 * HOUR_MS
      }
      expect(tokens).toEqual(["ghu_1", "ghu_2", "ghu_3"])
    })

    it("of a GitHub App require a new sign-in after bad_refresh_token, which has status 200", async () => {
      const { revoke } = behaveAsGitHubApp()
      const site = await open(github())
      await signInAtVendor(site)
      revoke()
      site.time.now += 8 * HOUR_MS
      expect(await site.ask()).toBe(401)
    })

    it("of a GitHub App have no scopes, and are treated as if they had the requested scopes", async () => {
      behaveAsGitHubApp()
      const site = await open(github({ scope: "read:user user:email" }), "user:email gist")
      await signInAtVendor(site)
      const sent = await site.openPage()
      expect(new URL(sent.location).searchParams.get("scope")).toContain("gist")
      await returnFromVendor(site, sent.location)
      expect(await (await site.openPage()).text()).toBe("the page")
    })
  })

  describe("Slack with OpenID Connect", () => {
    /** With token rotation, user tokens expire after twelve hours, and each refresh token works once. */
    function behaveAsSlack({ rotates }: { rotates: boolean }) {
      op.reset()
      op.requests.length = 0
      op.set({
        token: ({ expires_in: _, refresh_token, scope: __, ...json }: Claims) => ({
          ok: true,
          ...json,
          ...(rotates && { refresh_token, expires_in: 43200 }),
        }),
      })
    }
    const slack = () => Slack({ ...op.client, issuer: op.base })

    it("do not expire without token rotation", async () => {
      behaveAsSlack({ rotates: false })
      const site = await open(slack())
      await signIn(site)
      const token = await site.ask()
      site.time.now += 13 * HOUR_MS
      expect([await site.ask(), refreshes().length]).toEqual([token, 0])
    })

    it("are renewed with token rotation", async () => {
      behaveAsSlack({ rotates: true })
      const site = await open(slack())
      await signIn(site)
      const old = await site.ask()
      site.time.now += 12 * HOUR_MS
      op.set({ clockOffsetSeconds: 12 * 3600 })
      expect([await site.ask(), refreshes().length]).toEqual([expect.stringMatching(/^at-/), 1])
      expect(await site.ask()).not.toBe(old)
    })

    it.each(["invalid_refresh_token", "token_expired", "token_revoked"])(
      "require a new sign-in after ok: false with %s, which has status 200",
      async (error) => {
        behaveAsSlack({ rotates: true })
        const site = await open(slack())
        await signIn(site)
        site.time.now += 12 * HOUR_MS
        op.set({ fault: { token: { status: 200, body: { ok: false, error } } } })
        expect(await site.ask()).toBe(401)
      },
    )
  })

  describe("Slack's API, with the example of docs/tokens.md,", () => {
    const TOKEN_URL = "https://slack.com/api/oauth.v2.access"

    /** The documented provider, with the address of this vendor. */
    function documented() {
      const [provider] = documentedConfig("docs/tokens.md", TOKEN_URL, { store: MemoryStore() }).providers
      const found = provider as OAuthConfig & { token: object }
      return { ...found, ...CLIENT, token: { ...found.token, url: `${vendor.origin}/api/oauth.v2.access` } }
    }

    /** The user's token is nested at sign-in, and at the top level when it is renewed. */
    function behaveAsSlackApi() {
      let count = 0
      vendor.answer = ({ form }) => {
        if (form["grant_type"] === "refresh_token" && form["refresh_token"] !== `xoxe-1-${count}`)
          return { body: { ok: false, error: "invalid_refresh_token" } }
        count++
        const tokens = { access_token: `xoxe.xoxp-${count}`, refresh_token: `xoxe-1-${count}`, expires_in: 43200 }
        const user = { id: "U1", scope: "users.profile:read", token_type: "user" }
        if (form["grant_type"] === "refresh_token") return { body: { ok: true, ...tokens, token_type: "user" } }
        const bot = { access_token: "xoxb-bot", token_type: "bot", scope: "commands", bot_user_id: "B1" }
        return { body: { ok: true, app_id: "A1", ...bot, team: { id: "T1" }, authed_user: { ...user, ...tokens } } }
      }
      return {
        revoke: () => {
          count = -1
        },
      }
    }

    it("are the tokens of the user, not of the bot, and are renewed", async () => {
      const { revoke } = behaveAsSlackApi()
      const site = await open(documented(), "users.profile:read")
      await signInAtVendor(site)
      expect(await site.ask()).toBe("xoxe.xoxp-1")
      site.time.now += 12 * HOUR_MS
      expect(await site.ask()).toBe("xoxe.xoxp-2")
      expect(await (await site.openPage()).text()).toBe("the page")
      revoke()
      site.time.now += 12 * HOUR_MS
      expect(await site.ask()).toBe(401)
    })
  })
})

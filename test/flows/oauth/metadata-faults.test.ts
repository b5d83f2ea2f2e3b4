/**
 * FLT-06: metadata that is invalid or changes, and invalid values of `expires_in`.
 *
 * @module
 */
import { describeServer } from "../../support/apps.js"
import { startFaultyProvider } from "../../support/faulty-provider.js"
import { describeStores, type OpenStore } from "../../support/stores.js"
import { guardProcess } from "../support/guard.js"
import { begin, openCallback, param, sessionOf, signIn, startAndApprove, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

/** Values that are not valid endpoint URLs. None may be requested or redirected to. */
const INVALID_URLS: readonly unknown[] = [
  ..."javascript:alert(1)// data:text/html,x file:///etc/passwd http://evil.test/x //evil.test/x /x ? https://".split(
    " ",
  ),
  ...["", " ", "https://[::1", "blob:https://op.test/x", "ftp://op.test/x"],
  ...[null, 0, 1e21, true, {}, [], [["https:"]], { href: "https://evil.test" }],
]
const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"] as const

describeServer("provider metadata", "Auth()", (start, stage) => {
  it.each(ENDPOINTS)("FLT-06: redirects to the sign-in page if %s is not a valid URL", async (endpoint) => {
    for (const value of [undefined, ...INVALID_URLS]) {
      const mode = { discovery: (document: object) => ({ ...document, [endpoint]: value }) }
      const site = await startSite({ start, stage, op }, { providers: [op.oidc({ idToken: false })], mode })
      const browser = site.app.browser()
      const first = await begin(browser, { callbackUrl: "/cart" })
      const isFirst = endpoint === "authorization_endpoint"
      const page = isFirst ? first : await openCallback(browser, op, await op.authorize(first.location))
      const { origin, pathname } = new URL(page.location)
      expect([value, origin, pathname]).toEqual([value, site.app.origin, "/auth/signin"])
      expect(param(page.location, "error")).toBe("OAuthCallbackError")
      expect([value, site.failures().map(({ code }) => code)]).toEqual([
        value,
        [isFirst ? "OAuthSignInError" : "OAuthCallbackError"],
      ])
      expect(await sessionOf(browser)).toBeNull()
    }
  })

  it.each(["issuer", "response_types_supported", "code_challenge_methods_supported", "scopes_supported"])(
    "FLT-06: an invalid value of %s affects at most this sign-in",
    async (member) => {
      for (const value of [null, 1, "x", [], {}, [null], "[".repeat(5000)]) {
        const mode = { discovery: (document: object) => ({ ...document, [member]: value }) }
        const site = await startSite({ start, stage, op }, { mode })
        const { origin, pathname } = new URL((await begin(site.app.browser())).location)
        const isRefused = origin === site.app.origin && pathname === "/auth/signin"
        expect([member, value, isRefused || origin === new URL(op.base).origin]).toEqual([member, value, true])
        expect(site.failures().filter(({ code }) => code !== "OAuthSignInError")).toEqual([])
        if (member === "issuer") expect([value, isRefused]).toEqual([value, true])
      }
    },
  )

  it("FLT-06: finishes a sign-in in progress with the cached metadata, and fetches the metadata again after an hour", async () => {
    let now = Date.now()
    const site = await startSite({ start, stage, op }, { config: { clock: () => now } })
    const browser = site.app.browser()
    const back = await startAndApprove(browser, op)
    now += 10 * 60 * 1000
    // The token endpoint moves while the cached metadata is still valid.
    const other = await startFaultyProvider({ clientId: op.client.clientId, clientSecret: op.client.clientSecret })
    op.set({ discovery: (document) => ({ ...document, token_endpoint: `${other.base}/token` }) })
    await openCallback(browser, op, back)
    expect([await sessionOf(browser), other.count("/token")]).toMatchObject([{ user: { name: "Alice" } }, 0])
    now += 60 * 60 * 1000
    const page = await signIn(site.app.browser(), op)
    // The new token endpoint does not know the codes of the old one.
    expect([param(page.location, "error"), other.count("/token")]).toEqual(["OAuthCallbackError", 1])
    await other.close()
  })

  it("FLT-06: ignores refreshed metadata with another issuer and keeps the cached metadata", async () => {
    let now = Date.now()
    const site = await startSite({ start, stage, op }, { config: { clock: () => now } })
    await signIn(site.app.browser(), op)
    now += 61 * 60 * 1000
    op.set({
      discovery: (document) => ({ ...document, issuer: "https://evil.test", token_endpoint: "https://evil.test/t" }),
      clockOffsetSeconds: 61 * 60,
    })
    const browser = site.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
  })
})

/** The `expires_in` of a token response, and the seconds from now that are stored. */
const LIFETIMES: readonly (readonly [expiresIn: unknown, stored: number | "nothing" | "refused"])[] = [
  [3600, 3600],
  ["3600", 3600],
  [3599.5, 3599],
  ["3599.5", 3599],
  [0, "nothing"],
  [1e300, "nothing"],
  [Number.MAX_SAFE_INTEGER, "nothing"],
  [[3600], "nothing"],
  [-1, "refused"],
  ["", "refused"],
  ["Infinity", "refused"],
  ["soon", "refused"],
  [null, "refused"],
  [true, "refused"],
]

describeStores("expires_in of a token response", (kind) => {
  let store: OpenStore
  beforeEach(async () => {
    store = await kind.create()
  })
  afterEach(() => store.close())

  describeServer(kind.name, "Auth()", (start, stage) => {
    it("FLT-06: is stored in whole seconds, ignored or rejected", async () => {
      const now = Date.now()
      const outcomes: unknown[] = []
      for (const [i, [expires_in]] of LIFETIMES.entries()) {
        const mode = {
          token: (json: object) => ({ ...json, expires_in }),
          user: { sub: `person-${i}`, name: "Alice", email: `person-${i}@example.com` },
        }
        const config = { adapter: store.adapter, clock: () => now }
        const site = await startSite({ start, stage, op }, { mode, config, sessions: "jwt" })
        const page = await signIn(site.app.browser(), op)
        const isRefused = param(page.location, "error") === "OAuthCallbackError"
        expect([expires_in, site.failures().length]).toEqual([expires_in, isRefused ? 1 : 0])
        const account = await store.adapter.getAccount(`person-${i}`, "oidc")
        const until = account?.["expires_at"]
        const stored = typeof until === "number" ? until - Math.floor(now / 1000) : "nothing"
        outcomes.push([expires_in, isRefused ? "refused" : stored])
      }
      expect(outcomes).toEqual(LIFETIMES)
    })
  })
})

/**
 * FLT-05, FLT-06 and FLT-08: raw HTTP responses as a faulty proxy, a load balancer or an attacker may send them.
 *
 * @module
 */
import { describeServer } from "../../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../../support/faulty-provider.js"
import { expectRefused } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import { begin, param, type Site, sessionOf, signIn, startSite } from "../support/site.js"
import { startWire, type Wire } from "../support/wire.js"
import { ODD, USELESS } from "../support/wire-answers.js"

guardProcess()

let op: FaultyProvider
let wire: Wire
beforeAll(async () => {
  op = await startFaultyProvider()
  wire = await startWire(op)
})
beforeEach(() => {
  op.reset()
  wire.bytes = undefined
})
afterAll(() => Promise.all([op.close(), wire.close()]))

type Endpoint = "token" | "userinfo" | "jwks"

describeServer("raw HTTP responses of a provider", "Auth()", (start, stage) => {
  /** Starts a site that requests one endpoint of its provider through `wire`, which can send any bytes. */
  async function siteWithWireAt(endpoint: Endpoint): Promise<Site> {
    const at = { token: { token: `${wire.origin}/token` }, userinfo: { userinfo: `${wire.origin}/userinfo` }, jwks: {} }
    const discovery = endpoint === "jwks" && { jwks_uri: wire.origin + op.jwksPath }
    const provider = op.oidc({ ...at[endpoint], ...(endpoint === "userinfo" && { idToken: false }) })
    const site = await startSite(
      { start, stage, op },
      { providers: [provider], mode: { discovery: (document) => ({ ...document, ...discovery }) } },
    )
    return {
      ...site,
      behave() {
        site.behave()
        wire.bytes = undefined
      },
    }
  }

  describe.each(["token", "userinfo"] as const)("%s endpoint", (endpoint) => {
    it.each(USELESS)(
      "FLT-06: rejects an unusable response and shows the sign-in page: %s",
      async (_what, bytes, reason) => {
        const mode = () => {
          wire.bytes = bytes
        }
        await expectRefused(await siteWithWireAt(endpoint), { mode, reason })
      },
    )

    it.each(ODD)("FLT-06: accepts an unusual but valid response: %s", async (_what, bytes) => {
      const site = await siteWithWireAt(endpoint)
      wire.bytes = bytes
      const browser = site.app.browser()
      await signIn(browser, op)
      expect([site.failures(), await sessionOf(browser)]).toMatchObject([[], { user: { name: "Alice" } }])
    })
  })

  it.each(USELESS)("FLT-06: rejects an unusable JWKS: %s", async (_what, bytes, reason) => {
    const site = await siteWithWireAt("jwks")
    wire.bytes = bytes
    const browser = site.app.browser()
    const page = await signIn(browser, op)
    expect([param(page.location, "error"), site.failures().length]).toEqual(["OAuthCallbackError", 1])
    expect(site.logText()).toMatch(reason)
    expect(await sessionOf(browser)).toBeNull()
  })

  it.each(ODD)("FLT-06: accepts an unusual but valid JWKS: %s", async (_what, bytes) => {
    const site = await siteWithWireAt("jwks")
    wire.bytes = bytes
    const browser = site.app.browser()
    await signIn(browser, op)
    expect([site.failures(), await sessionOf(browser)]).toMatchObject([[], { user: { name: "Alice" } }])
  })

  const withWellKnown = () => op.oidc({ wellKnown: `${wire.origin}/.well-known/openid-configuration` })

  it.each(USELESS)("FLT-06: rejects unusable metadata: %s", async (_what, bytes, reason) => {
    const site = await startSite({ start, stage, op }, { providers: [withWellKnown()] })
    wire.bytes = bytes
    const page = await begin(site.app.browser(), { callbackUrl: "/cart" })
    expect([new URL(page.location).pathname, param(page.location, "error")]).toEqual([
      "/auth/signin",
      "OAuthCallbackError",
    ])
    expect(site.logText()).toMatch(reason)
    expect(site.failures()).toHaveLength(1)
  })

  it.each(ODD)("FLT-06: accepts unusual but valid metadata: %s", async (_what, bytes) => {
    const site = await startSite({ start, stage, op }, { providers: [withWellKnown()] })
    wire.bytes = bytes
    const browser = site.app.browser()
    await signIn(browser, op)
    expect([site.failures(), await sessionOf(browser)]).toMatchObject([[], { user: { name: "Alice" } }])
  })
})

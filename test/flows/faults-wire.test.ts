/**
 * FLT-05, FLT-06 and FLT-08 in more shapes: what comes back from a provider, byte by byte, when a proxy, a load
 * balancer or an attacker has had it in hand.
 *
 * @module
 */
import { describeServer } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { expectRefused } from "./support/expect-refused.js"
import { guardProcess } from "./support/guard.js"
import { begin, param, type Site, sessionOf, signIn, startSite } from "./support/site.js"
import { startWire, type Wire } from "./support/wire.js"
import { ODD, USELESS } from "./support/wire-answers.js"

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

type Place = "token" | "userinfo" | "jwks"

describeServer("what a provider's answer may be", "Auth()", (start, stage) => {
  /** A site whose provider is asked for everything but its metadata by way of the wire, at one place. */
  async function siteBy(place: Place): Promise<Site> {
    const at = { token: { token: `${wire.origin}/token` }, userinfo: { userinfo: `${wire.origin}/userinfo` }, jwks: {} }
    const discovery = place === "jwks" && { jwks_uri: wire.origin + op.jwksPath }
    const provider = op.oidc({ ...at[place], ...(place === "userinfo" && { idToken: false }) })
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

  describe.each(["token", "userinfo"] as const)("at %s", (place) => {
    it.each(USELESS)("FLT-06: %s is no answer, and the person is asked to try again", async (_what, bytes, reason) => {
      const mode = () => {
        wire.bytes = bytes
      }
      await expectRefused(await siteBy(place), { mode, reason })
    })

    it.each(ODD)("FLT-06: %s does no harm", async (_what, bytes) => {
      const site = await siteBy(place)
      wire.bytes = bytes
      const browser = site.app.browser()
      await signIn(browser, op)
      expect([site.failures(), await sessionOf(browser)]).toMatchObject([[], { user: { name: "Alice" } }])
    })
  })

  it.each(USELESS)("FLT-06: %s is no set of keys", async (_what, bytes, reason) => {
    const site = await siteBy("jwks")
    wire.bytes = bytes
    const browser = site.app.browser()
    const page = await signIn(browser, op)
    expect([param(page.location, "error"), site.failures().length]).toEqual(["OAuthCallbackError", 1])
    expect(site.logText()).toMatch(reason)
    expect(await sessionOf(browser)).toBeNull()
  })

  it.each(ODD)("FLT-06: %s does no harm to a set of keys", async (_what, bytes) => {
    const site = await siteBy("jwks")
    wire.bytes = bytes
    const browser = site.app.browser()
    await signIn(browser, op)
    expect([site.failures(), await sessionOf(browser)]).toMatchObject([[], { user: { name: "Alice" } }])
  })

  const byDiscovery = () => op.oidc({ wellKnown: `${wire.origin}/.well-known/openid-configuration` })

  it.each(USELESS)("FLT-06: %s is no metadata", async (_what, bytes, reason) => {
    const site = await startSite({ start, stage, op }, { providers: [byDiscovery()] })
    wire.bytes = bytes
    const page = await begin(site.app.browser(), { callbackUrl: "/cart" })
    expect([new URL(page.location).pathname, param(page.location, "error")]).toEqual([
      "/auth/signin",
      "OAuthCallbackError",
    ])
    expect(site.logText()).toMatch(reason)
    expect(site.failures()).toHaveLength(1)
  })

  it.each(ODD)("FLT-06: %s does no harm to metadata", async (_what, bytes) => {
    const site = await startSite({ start, stage, op }, { providers: [byDiscovery()] })
    wire.bytes = bytes
    const browser = site.app.browser()
    await signIn(browser, op)
    expect([site.failures(), await sessionOf(browser)]).toMatchObject([[], { user: { name: "Alice" } }])
  })
})

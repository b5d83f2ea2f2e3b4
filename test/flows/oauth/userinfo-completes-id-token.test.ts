/** Userinfo completes an id_token that lacks claims of the granted scopes (OpenID Connect Core §5.4). */

import type { OIDCConfig } from "../../../lib/provider-kit/provider.js"
import OIDC from "../../../lib/providers/oidc.js"
import type { Profile } from "../../../lib/types.js"
import { describeServers, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import { type Claims, type FaultyProvider, startFaultyProvider } from "../../support/faulty-provider.js"
import { type RealProvider, signInAtProvider, startRealProvider } from "../../support/real-provider.js"
import { guardProcess } from "../support/guard.js"
import { begin, sessionOf, signIn, startSite } from "../support/site.js"

guardProcess()

let real: RealProvider
let op: FaultyProvider
beforeAll(async () => {
  real = await startRealProvider({ hasBareIdTokens: true })
  op = await startFaultyProvider()
})
afterAll(() => Promise.all([real.close(), op.close()]))

let clients = 0

/** Signs Alice in at the real provider; returns the application's session and the calls of userinfo. */
async function completeSignIn(start: Start, options: Partial<OIDCConfig> = {}) {
  const clientId = `client-${++clients}`
  const clientSecret = `secret of ${clientId}, which has more than 32 characters`
  const { logger, records } = recordingLogger()
  const provider = OIDC({ issuer: real.issuer, clientId, clientSecret, ...options })
  const app = await start({ providers: [provider], secret: TEST_SECRET, logger })
  const redirect_uris = [`${app.origin}${app.basePath}/callback/oidc`]
  await real.addClient({ client_id: clientId, client_secret: clientSecret, redirect_uris })
  real.requests.length = 0
  const browser = app.browser()
  const { location } = await begin(browser)
  await browser.get(await signInAtProvider(browser, location, "alice"))
  const calls = real.requests.filter(({ path }) => path === "/me").length
  return { user: (await sessionOf(browser))?.user, calls, records }
}

describeServers("OIDC() with a real provider whose id_tokens have no name and no email", (start) => {
  it("requests userinfo once", async () => {
    const { user, calls, records } = await completeSignIn(start)
    expect([user, calls, records]).toEqual([{ name: "Alice", email: "alice@example.com" }, 1, []])
  })

  it("does not request userinfo with idToken: true", async () => {
    const { user, calls } = await completeSignIn(start, { idToken: true })
    expect([user, calls]).toEqual([{}, 0])
  })

  it("does not request userinfo if openid is the only scope", async () => {
    const { calls } = await completeSignIn(start, { authorization: { params: { scope: "openid" } } })
    expect(calls).toBe(0)
  })

  it("passes the claims of the id_token and userinfo to the profile callback", async () => {
    const profiles: Profile[] = []
    await completeSignIn(start, {
      profile: (claims) => {
        profiles.push(claims)
        return { id: String(claims.sub) }
      },
    })
    expect(profiles).toMatchObject([
      { iss: real.issuer, sub: "alice", aud: expect.any(String), name: "Alice", email_verified: true },
    ])
  })
})

describeServers("completing an id_token with userinfo", (start, stage) => {
  const userinfo = { name: "Of userinfo", email: "other@example.com", email_verified: true }
  /** Signs in with these claims in the id_token. A claim that is null or undefined is treated as missing. */
  async function profileOf(idToken: Claims, options: Partial<OIDCConfig> = {}, token: object = {}) {
    const profiles: Profile[] = []
    const profile = (claims: Profile) => {
      profiles.push(claims)
      return { id: String(claims.sub) }
    }
    const site = await startSite(
      { start, stage, op },
      {
        providers: [{ ...op.oidc(), options: { profile, ...options } }],
        mode: {
          claims: (claims) => ({ ...claims, ...idToken }),
          userinfo: (claims) => ({ ...claims, ...userinfo }),
          token: (answer) => ({ ...answer, ...token }),
        },
      },
    )
    const page = await signIn(site.app.browser(), op)
    return { claims: profiles[0], calls: op.count("/userinfo"), location: page.location, site }
  }

  it.each<[string, Claims, Claims, number]>([
    [
      "requests no userinfo if the id_token has all claims",
      { name: "Ada", email: "ada@example.com", email_verified: false },
      { name: "Ada" },
      0,
    ],
    [
      "requests userinfo if the email is missing",
      { name: "Ada", email: null, email_verified: true },
      { ...userinfo, name: "Ada" },
      1,
    ],
    [
      "requests userinfo if the name is missing",
      { name: undefined, email: "ada@example.com", email_verified: false },
      { ...userinfo, email: "ada@example.com", email_verified: false },
      1,
    ],
  ])("%s", async (_which, idToken, expected, calls) => {
    const result = await profileOf(idToken)
    expect([result.claims, result.calls]).toMatchObject([expected, calls])
  })

  it("depends on the granted scope, not on the requested one", async () => {
    const bare = { name: undefined, email: undefined, email_verified: undefined }
    expect((await profileOf(bare, {}, { scope: "openid" })).calls).toBe(0)
    expect((await profileOf(bare, {}, { scope: "openid email" })).calls).toBe(1)
    expect((await profileOf(bare, {}, { scope: "openid,email" })).calls).toBe(1)
  })

  it("depends on the requested scope if the token response has no scope", async () => {
    const options = { allowScopeOverride: true, authorization: { params: { scope: "openid" } } }
    const bare = { name: undefined, email: undefined, email_verified: undefined }
    const { site, calls } = await profileOf(bare, options, { scope: undefined })
    await signIn(site.app.browser(), op, { query: "?scope=openid%20email" })
    expect([calls, op.count("/userinfo")]).toEqual([0, 1])
  })

  it("rejects userinfo of another subject", async () => {
    const { site, location } = await profileOf({ email: undefined })
    expect(location).not.toContain("error=")
    site.op.set({
      claims: (claims) => ({ ...claims, email: undefined }),
      userinfo: (claims) => ({ ...claims, sub: "eve" }),
    })
    expect((await signIn(site.app.browser(), op)).location).toContain("error=OAuthCallbackError")
  })

  it("fails the sign-in if userinfo is down, and the log names the idToken option", async () => {
    const { site } = await profileOf({ email: undefined })
    site.op.set({ claims: (claims) => ({ ...claims, email: undefined }), fault: { userinfo: { status: 503 } } })
    expect((await signIn(site.app.browser(), op)).location).toContain("error=OAuthCallbackError")
    expect(site.logText()).toMatch(/status 503.*the id_token has no email.*idToken: true/)
  })
})

import type { AuthConfig } from "../../../lib/types.js"
import { describeServers } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import {
  flowCookies,
  openCallback,
  type SiteOptions,
  sessionCookies,
  signIn,
  startAndApprove,
  startSite,
} from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

describeServers("callbacks and events at a sign-in", (start, stage) => {
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, { sessions: "jwt", ...options })

  it("are called in the order and with the arguments of Auth.js", async () => {
    const calls: [string, Record<string, unknown>][] = []
    const record = (name: string, params: object) => calls.push([name, { ...params }])
    const callbacks: AuthConfig["callbacks"] = {
      redirect(params) {
        record("redirect", params)
        return params.url.startsWith("/") ? params.baseUrl + params.url : params.url
      },
      signIn(params) {
        record("signIn", params)
        return true
      },
      jwt(params) {
        record("jwt", params)
        return params.token
      },
    }
    const events = { signIn: (message: object) => void record("event signIn", message) }
    const profile = (claims: object, tokens: object) => {
      record("profile", { claims, tokens })
      return { id: "p-1", name: "Mapped", email: "ALICE@Example.com", image: "https://i.test/a.png" }
    }
    const site = await createSite({
      providers: [op.oidc({ profile })],
      config: { callbacks, events, pages: { newUser: "/welcome" } },
    })
    const browser = site.app.browser()
    const back = await startAndApprove(browser, op, { callbackUrl: "/cart" })
    calls.length = 0
    const page = await openCallback(browser, op, back)
    expect(page.location).toBe(`${site.app.origin}/cart`)
    expect(calls.map(([name]) => name)).toEqual(["redirect", "profile", "signIn", "jwt", "event signIn"])
    const [redirect, profileParams, signInParams, jwt, signInEvent] = calls.map(([, params]) => params)
    expect(redirect).toEqual({ url: `${site.app.origin}/cart`, baseUrl: site.app.origin })
    const tokens = {
      ...{ access_token: expect.stringMatching(/^at-/), refresh_token: expect.stringMatching(/^rt-/) },
      ...{ id_token: expect.stringMatching(/^eyJ/), token_type: "bearer", scope: "openid profile email" },
      ...{ expires_in: 3600, expires_at: expect.any(Number) },
    }
    const claims = expect.objectContaining({ sub: "alice", iss: op.issuer, nonce: expect.any(String) })
    expect(profileParams).toEqual({ claims, tokens })
    const user = {
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      name: "Mapped",
      email: "alice@example.com",
      image: "https://i.test/a.png",
    }
    const account = { ...tokens, provider: "oidc", type: "oidc", providerAccountId: "p-1" }
    expect(signInParams).toEqual({ user, account, profile: claims })
    const token = { name: user.name, email: user.email, picture: user.image, sub: user.id }
    expect(jwt).toEqual({ token, user, account, profile: claims, trigger: "signIn" })
    expect(signInEvent).toEqual({ user, account, profile: claims })
    expect(Math.abs(Object(signInParams?.["account"]).expires_at - Date.now() / 1000 - 3600)).toBeLessThan(10)
  })

  it.each([
    ["returns false", () => false, /refused/],
    [
      "throws",
      () => {
        throw new Error("blocked by policy")
      },
      /blocked by policy/,
    ],
    [
      "rejects",
      async () => {
        throw new Error("blocked by policy")
      },
      /blocked by policy/,
    ],
  ])("reject the sign-in if signIn %s", async (_, answer: () => boolean | Promise<boolean>, reason) => {
    const site = await createSite({ config: { callbacks: { signIn: answer } } })
    const browser = site.app.browser()
    const page = await signIn(browser, op)
    expect(page.location).toBe(`${site.app.origin}/auth/error?error=AccessDenied`)
    expect([sessionCookies(browser), flowCookies(browser), site.events]).toEqual([[], [], []])
    expect(site.failures()).toHaveLength(1)
    expect(Object(site.failures()[0]?.error?.cause)).toMatchObject({ provider: "oidc" })
    expect(site.logText()).toMatch(reason)
  })

  it.each([
    ["/upgrade?plan=1", "/upgrade?plan=1"],
    ["https://evil.test/x", ""],
  ])("redirect only to the address that the redirect callback allows if signIn returns %s", async (answer, path) => {
    const site = await createSite({ config: { callbacks: { signIn: () => answer } } })
    const browser = site.app.browser()
    const page = await signIn(browser, op)
    expect(page.location.replace(/\/$/, "")).toBe(site.app.origin + path)
    expect([sessionCookies(browser), flowCookies(browser), site.events]).toEqual([[], [], []])
  })

  it("create no session but emit the signIn event if jwt returns null", async () => {
    const site = await createSite({ config: { callbacks: { jwt: () => null } } })
    const browser = site.app.browser()
    expect((await signIn(browser, op, { callbackUrl: "/cart" })).location).toBe(`${site.app.origin}/cart`)
    expect([sessionCookies(browser), site.events.map(({ name }) => name)]).toEqual([[], ["signIn"]])
  })
})

/**
 * Other shapes of what `cases-b-flow.test.ts` refuses, on the way to the provider and back.
 *
 * @module
 */
import { describeServers } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type Claims, type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { expectRefused } from "./support/expect-refused.js"
import { guardProcess } from "./support/guard.js"
import {
  begin,
  comeBack,
  flowCookies,
  goAndAgree,
  named,
  param,
  type SiteOptions,
  sessionCookies,
  sessionOf,
  signIn,
  startSite,
  withParams,
} from "./support/site.js"

guardProcess()

let op: FaultyProvider
let other: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
  other = await startFaultyProvider({ clientId: "latchkey-elsewhere" })
})
beforeEach(() => {
  op.reset()
  other.reset()
})
afterAll(() => Promise.all([op.close(), other.close()]))

const now = () => Math.floor(Date.now() / 1000)

describeServers("an attempt to sign in, in other shapes", (start, stage) => {
  // What does not depend on the server: every shape on one, the first of them everywhere.
  const rows = <T>(all: readonly T[]) => (stage === "Express 5" ? all : all.slice(0, 1))
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it.each(
    rows([
      ["code", "evil", "before"],
      ["code", "evil", "after"],
      ["iss", "https://evil.test", "before"],
      ["state", "evil", "before"],
      ["error", "access_denied", "twice"],
    ]),
  )("OID-34: refuses an answer with two of %s", async (name, value, where) => {
    const attempt = async (browser: Browser) => {
      const url = new URL(await goAndAgree(browser, op))
      const own = [...url.searchParams]
      const two: [string, string][] = where === "twice" ? [[name, value]] : []
      url.search = new URLSearchParams(
        where === "after" ? [...own, [name, value]] : [[name, value], ...two, ...own],
      ).toString()
      return comeBack(browser, op, url.href)
    }
    await expectRefused(await site(), { attempt, reason: /more than once/, tokenCalls: 0 })
  })

  it("OID-34: refuses an answer whose last state is another, and lets the person finish", async () => {
    const one = await site()
    const browser = one.app.browser()
    const back = await goAndAgree(browser, op)
    const page = await comeBack(browser, op, `${back}&state=evil`)
    expect([param(page.location, "error"), sessionCookies(browser)]).toEqual(["OAuthCallbackError", []])
    expect(op.count("/token")).toBe(0)
    await comeBack(browser, op, back)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each(
    rows<[string, (back: string) => string]>([
      ["an empty code", (back) => withParams(back, { code: "" })],
      ["no code", (back) => withParams(back, { code: undefined })],
      ["a code in a list", (back) => back.replace("?code=", "?code[]=")],
      ["an id_token beside", (back) => `${back}&id_token=x.y.z`],
      ["an access token in place of a code", (back) => back.replace("?code=", "?access_token=")],
      ["a JWT of a response", (back) => `${back}&response=x.y.z`],
    ]),
  )("OID-34: refuses an answer with %s", async (_, change) => {
    const attempt = async (browser: Browser) => comeBack(browser, op, change(await goAndAgree(browser, op)))
    await expectRefused(await site(), { attempt, reason: /code|implicit|JARM/, tokenCalls: 0 })
  })

  it.each(
    rows<[string, (browser: Browser) => string | undefined]>([
      ["the session's cookie", (browser) => sessionCookies(browser)[0]?.value],
      ["the CSRF cookie", (browser) => browser.cookie("authjs.csrf-token")],
      ["an attempt's cookie cut short", (browser) => flowCookies(browser)[0]?.value.slice(0, -6)],
      ["an object of the attacker's own", () => JSON.stringify({ provider: "oidc", state: "s", verifier: "v" })],
    ]),
  )("ADV-13: takes %s for no attempt", async (_, valueFrom) => {
    const one = await site({ sessions: "jwt" })
    const browser = one.app.browser()
    await signIn(browser, op)
    const back = await goAndAgree(browser, op)
    const [flow] = flowCookies(browser)
    browser.setCookie(flow?.name ?? "", valueFrom(browser) ?? "")
    one.forget()
    const calls = op.count("/token")
    const page = await comeBack(browser, op, back)
    expect(param(page.location, "error")).toBe("OAuthCallbackError")
    expect([op.count("/token") - calls, flowCookies(browser), one.failures().length]).toEqual([0, [], 1])
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("ADV-13: refuses A's posted answer at B, sealed as it is", async () => {
    const posts = { authorization: { params: { response_mode: "form_post" } } }
    const one = await site({ providers: [op.oidc(), op.oidc({ ...posts, id: "a" }), op.oidc({ ...posts, id: "b" })] })
    const attempt = async (browser: Browser) => {
      await begin(browser, { id: "b" })
      const { action, fields } = await op.authorizeByForm((await begin(browser, { id: "a" })).location)
      const { location } = await browser.post(action, fields, { from: op.issuer })
      return comeBack(browser, op, location.replace("/callback/a", "/callback/b"))
    }
    await expectRefused(one, { attempt, provider: "b", reason: /could not be checked/, tokenCalls: 0, flowsLeft: 2 })
  })

  const SPELLINGS = ["Response_Mode", "REQUEST_URI", "Request", "redirect.uri", "redirect uri", "response.mode"]
  const MORE = ["redirect_uri[]", "request[uri]", " state", "state\0", "Code_Challenge_Method", "code.challenge"]
  const RIGHTS = ["Scope", "authorization_details", "Authorization_Details", "__proto__", "client_secret[0]"]

  it.each(rows([...SPELLINGS, ...MORE, ...RIGHTS]))(
    "OID-42: passes no %j on, which some servers read as what is reserved",
    async (name) => {
      const { app } = await site()
      const query = `?${new URLSearchParams([
        [name, "evil"],
        ["login_hint", "a@b.test"],
      ])}`
      const { location } = await begin(app.browser(), { query })
      expect(location).not.toContain("evil")
      expect([...new URL(location).searchParams.keys()].sort()).toEqual(
        "client_id code_challenge code_challenge_method login_hint nonce redirect_uri response_type scope state".split(
          " ",
        ),
      )
    },
  )

  it("OID-42: shows the sign-in page's own query to no provider", async () => {
    const { app } = await site()
    const browser = app.browser()
    const html = await (await browser.get("/auth/signin?redirect_uri=https://evil.test&login_hint=evil&x=1")).text()
    const { location } = await browser.submit(browser.form(html, "/signin/oidc"))
    expect(location).not.toContain("evil")
    expect(param(location, "redirect_uri")).toBe(`${app.origin}/auth/callback/oidc`)
  })

  const strict = () => [op.oidc({ authorization: { params: { max_age: 60 } } })]

  it.each(rows(["?max_age=999999999", "?max_age=", "?max_age=never", "?max_age=61", "?Max_Age=9999", ""]))(
    "OID-52: lets nobody weaken the age that the configuration asks for: %s",
    async (query) => {
      const one = await site({ providers: strict() })
      const attempt = async (browser: Browser) => {
        const { location } = await begin(browser, { query })
        expect(new URL(location).searchParams.getAll("max_age")).toEqual(["60"])
        expect(location).not.toContain("9999")
        return comeBack(browser, op, await op.authorize(location))
      }
      const claims = (own: Claims) => ({ ...own, auth_time: now() - 600 })
      await expectRefused(one, { attempt, mode: { claims }, reason: /too much time/ })
    },
  )

  it("OID-52: lets a person ask for a younger sign-in than the configuration does", async () => {
    const one = await site({ providers: strict() })
    const attempt = (browser: Browser) => signIn(browser, op, { query: "?max_age=0" })
    const claims = (own: Claims) => ({ ...own, auth_time: now() - 50 })
    await expectRefused(one, { attempt, mode: { claims }, reason: /too much time/ })
  })

  it("OID-51: lets no provider say whose account it is here", async () => {
    const told: Claims[] = []
    const callbacks = {
      signIn: ({ account }: { account?: object | null }) => told.push({ ...account }) > 0,
    }
    const one = await site({
      providers: [op.oidc(), named(other.oidc(), "b")],
      sessions: "database",
      config: { callbacks },
    })
    await signIn(one.app.browser(), op)
    other.set({
      user: { sub: "mallory", name: "Mallory", email: "mallory@example.com" },
      token: (json) => ({
        ...json,
        userId: "user-1",
        provider: "oidc",
        providerAccountId: "alice",
        type: "credentials",
      }),
    })
    const browser = one.app.browser()
    await signIn(browser, other, { id: "b" })
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Mallory" } })
    expect(told[1]).toMatchObject({ provider: "b", providerAccountId: "mallory", type: "oidc" })
    expect(told[1]).not.toHaveProperty("userId")
    expect(one.store?.accounts.map(({ provider, userId }) => [provider, userId])).toEqual([
      ["oidc", "user-1"],
      ["b", "user-2"],
    ])
  })

  it.each(
    rows([
      ["the Kelvin sign", "\u212Aim@example.com", "kim@example.com"],
      ["the \u00c5ngstr\u00f6m sign", "\u212Bsa@example.com", "\u00e5sa@example.com"],
      ["a dotted capital I", "al\u0130ce@example.com", "alice@example.com"],
      ["letters of full width", "\uff41lice@example.com", "alice@example.com"],
    ]),
  )("OID-51: makes no other address of one with %s, not where addresses link either", async (_, asked, victims) => {
    const linking = { allowDangerousEmailAccountLinking: true }
    const providers = [op.oidc(linking), named(other.oidc(linking), "b")]
    const one = await site({ providers, sessions: "database" })
    op.set({ user: { sub: "alice", name: "Alice", email: victims.toUpperCase(), email_verified: true } })
    await signIn(one.app.browser(), op)
    other.set({ user: { sub: "mallory", name: "Mallory", email: asked, email_verified: true } })
    const browser = one.app.browser()
    await signIn(browser, other, { id: "b" })
    expect([...(one.store?.users.values() ?? [])].map(({ email }) => email)[0]).toBe(victims)
    expect(await sessionOf(browser)).not.toMatchObject({ user: { email: victims } })
    expect(one.store?.accounts.filter(({ userId }) => userId === "user-1")).toHaveLength(1)
  })

  it("ADV-21: takes nothing on the prototype of all objects from a provider", async () => {
    const poison = () => JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}')
    const add = (own: Claims): Claims => Object.defineProperties({ ...own }, Object.getOwnPropertyDescriptors(poison()))
    const mode = { claims: add, token: add, userinfo: add, discovery: add }
    const one = await site({ mode, providers: [op.oidc({ idToken: false })], sessions: "jwt" })
    const browser = one.app.browser()
    await signIn(browser, op)
    const session = await sessionOf(browser)
    expect(session).toMatchObject({ user: { name: "Alice" } })
    expect([Reflect.get({}, "isAdmin"), Reflect.get(Object(session?.user), "isAdmin")]).toEqual([undefined, undefined])
    const { user, account } = Object(one.events.find(({ name }) => name === "signIn")?.message)
    expect([user.isAdmin, account.isAdmin]).toEqual([undefined, undefined])
  })
})

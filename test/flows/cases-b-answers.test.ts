/**
 * Other shapes of what `cases-b-begin.test.ts` and `cases-b-flow.test.ts` refuse, on the way to the provider and back.
 *
 * @module
 */
import { describeServers, shapesOn } from "../support/apps.js"
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
  const rows = shapesOn(stage)
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
    ]),
  )("OID-34: refuses an answer with %s", async (_, change) => {
    const attempt = async (browser: Browser) => comeBack(browser, op, change(await goAndAgree(browser, op)))
    await expectRefused(await site(), { attempt, reason: /code|implicit|JARM/, tokenCalls: 0 })
  })

  it.each(
    rows<[string, (back: string) => string]>([
      ["an id_token beside the code", (back) => `${back}&id_token=x.y.z`],
      ["an access token beside it", (back) => `${back}&token=at`],
      ["tokens in place of a code", (back) => back.replace("?code=", "?id_token=x.y.z&access_token=")],
      ["a JWT of a response", (back) => `${back}&response=x.y.z`],
    ]),
  )("OID-47: takes no token that comes by way of the browser: %s", async (_, change) => {
    const attempt = async (browser: Browser) => comeBack(browser, op, change(await goAndAgree(browser, op)))
    await expectRefused(await site(), { attempt, reason: /code|implicit|JARM/, tokenCalls: 0 })
  })

  it("OID-40: gives B neither A's verifier nor A's client, though it is given A's code", async () => {
    const silent = (params: Claims) => ({ ...params, iss: undefined })
    const one = await site({
      providers: [op.oidc(), named(other.oidc(), "b")],
      mode: { authorizationResponse: silent },
    })
    const browser = one.app.browser()
    const ofA = await goAndAgree(browser, op)
    other.set({ authorizationResponse: silent })
    // An attacker at B sends A's code with B's own state: without iss nothing tells them apart.
    const toB = withParams(await goAndAgree(browser, other, { id: "b" }), { code: param(ofA, "code") })
    const page = await comeBack(browser, other, toB)
    expect([param(page.location, "error"), sessionCookies(browser)]).toEqual(["OAuthCallbackError", []])
    const { form, clientAuth } = other.last("/token")
    expect([clientAuth?.clientId, form["redirect_uri"]]).toEqual([
      other.client.clientId,
      `${one.app.origin}/auth/callback/b`,
    ])
    expect(clientAuth?.clientSecret).not.toBe(op.client.clientSecret)
    // What B was given redeems nothing at A.
    const stolen = new URLSearchParams(form)
    const answer = await fetch(`${op.base}/token`, { method: "POST", body: stolen })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    await comeBack(browser, op, ofA)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
    expect(op.last("/token").form["code_verifier"]).not.toBe(form["code_verifier"])
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
})

/**
 * Further invalid callbacks and authorization parameters, beyond those in `authorization-request.test.ts` and `callback.test.ts`.
 *
 * @module
 */
import { describeServers, shapesOn } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import type { Claims } from "../../support/faulty-provider.js"
import { expectRefused } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import {
  begin,
  flowCookies,
  named,
  openCallback,
  param,
  type SiteOptions,
  sessionCookies,
  sessionOf,
  signIn,
  startAndApprove,
  startSite,
  withParams,
} from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
const other = useProvider({ clientId: "latchkey-elsewhere" })

const now = () => Math.floor(Date.now() / 1000)

describeServers("authorization request and callback: further variants", (start, stage) => {
  const rows = shapesOn(stage)
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it.each(
    rows([
      ["code", "evil", "before"],
      ["code", "evil", "after"],
      ["iss", "https://evil.test", "before"],
      ["state", "evil", "before"],
      ["error", "access_denied", "twice"],
    ]),
  )("OID-34: rejects a callback with a repeated %s", async (name, value, where) => {
    const attempt = async (browser: Browser) => {
      const url = new URL(await startAndApprove(browser, op))
      const own = [...url.searchParams]
      const two: [string, string][] = where === "twice" ? [[name, value]] : []
      url.search = new URLSearchParams(
        where === "after" ? [...own, [name, value]] : [[name, value], ...two, ...own],
      ).toString()
      return openCallback(browser, op, url.href)
    }
    await expectRefused(await createSite(), { attempt, reason: /more than once/, tokenCalls: 0 })
  })

  it("OID-34: rejects a callback with a second, different state; the original callback still works", async () => {
    const site = await createSite()
    const browser = site.app.browser()
    const back = await startAndApprove(browser, op)
    const page = await openCallback(browser, op, `${back}&state=evil`)
    expect([param(page.location, "error"), sessionCookies(browser)]).toEqual(["OAuthCallbackError", []])
    expect(op.count("/token")).toBe(0)
    await openCallback(browser, op, back)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each(
    rows<[string, (back: string) => string]>([
      ["an empty code", (back) => withParams(back, { code: "" })],
      ["no code", (back) => withParams(back, { code: undefined })],
      ["the code as an array parameter", (back) => back.replace("?code=", "?code[]=")],
    ]),
  )("OID-34: rejects a callback with %s", async (_, change) => {
    const attempt = async (browser: Browser) => openCallback(browser, op, change(await startAndApprove(browser, op)))
    await expectRefused(await createSite(), { attempt, reason: /code|implicit|JARM/, tokenCalls: 0 })
  })

  it.each(
    rows<[string, (back: string) => string]>([
      ["an id_token beside the code", (back) => `${back}&id_token=x.y.z`],
      ["an access token beside the code", (back) => `${back}&token=at`],
      ["tokens instead of a code", (back) => back.replace("?code=", "?id_token=x.y.z&access_token=")],
      ["a JWT response (JARM)", (back) => `${back}&response=x.y.z`],
    ]),
  )("OID-47: rejects a callback that carries tokens: %s", async (_, change) => {
    const attempt = async (browser: Browser) => openCallback(browser, op, change(await startAndApprove(browser, op)))
    await expectRefused(await createSite(), { attempt, reason: /code|implicit|JARM/, tokenCalls: 0 })
  })

  it("OID-40: sends neither A's client secret nor A's PKCE verifier to provider B along with A's code", async () => {
    const withoutIss = (params: Claims) => ({ ...params, iss: undefined })
    const site = await createSite({
      providers: [op.oidc(), named(other.oidc(), "b")],
      mode: { authorizationResponse: withoutIss },
    })
    const browser = site.app.browser()
    const callbackOfA = await startAndApprove(browser, op)
    other.set({ authorizationResponse: withoutIss })
    // Mix-up attack: A's code arrives with B's state. Without iss, the client cannot detect it.
    const toB = withParams(await startAndApprove(browser, other, { id: "b" }), { code: param(callbackOfA, "code") })
    const page = await openCallback(browser, other, toB)
    expect([param(page.location, "error"), sessionCookies(browser)]).toEqual(["OAuthCallbackError", []])
    const { form, clientAuth } = other.last("/token")
    expect([clientAuth?.clientId, form["redirect_uri"]]).toEqual([
      other.client.clientId,
      `${site.app.origin}/auth/callback/b`,
    ])
    expect(clientAuth?.clientSecret).not.toBe(op.client.clientSecret)
    // B cannot redeem A's code with what it received.
    const stolen = new URLSearchParams(form)
    const answer = await fetch(`${op.base}/token`, { method: "POST", body: stolen })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    await openCallback(browser, op, callbackOfA)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
    expect(op.last("/token").form["code_verifier"]).not.toBe(form["code_verifier"])
  })

  it.each(
    rows<[string, (browser: Browser) => string | undefined]>([
      ["the session cookie", (browser) => sessionCookies(browser)[0]?.value],
      ["the CSRF cookie", (browser) => browser.cookie("authjs.csrf-token")],
      ["a truncated sign-in cookie", (browser) => flowCookies(browser)[0]?.value.slice(0, -6)],
      ["an unencrypted JSON object", () => JSON.stringify({ provider: "oidc", state: "s", verifier: "v" })],
    ]),
  )("ADV-13: does not accept %s as the cookie of a sign-in in progress", async (_, valueFrom) => {
    const site = await createSite({ sessions: "jwt" })
    const browser = site.app.browser()
    await signIn(browser, op)
    const back = await startAndApprove(browser, op)
    const [flow] = flowCookies(browser)
    browser.setCookie(flow?.name ?? "", valueFrom(browser) ?? "")
    site.forget()
    const calls = op.count("/token")
    const page = await openCallback(browser, op, back)
    expect(param(page.location, "error")).toBe("OAuthCallbackError")
    expect([op.count("/token") - calls, flowCookies(browser), site.failures().length]).toEqual([0, [], 1])
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("ADV-13: rejects A's encrypted form_post response at B's callback", async () => {
    const byPost = { authorization: { params: { response_mode: "form_post" } } }
    const site = await createSite({
      providers: [op.oidc(), op.oidc({ ...byPost, id: "a" }), op.oidc({ ...byPost, id: "b" })],
    })
    const attempt = async (browser: Browser) => {
      await begin(browser, { id: "b" })
      const { action, fields } = await op.authorizeByForm((await begin(browser, { id: "a" })).location)
      const { location } = await browser.post(action, fields, { from: op.issuer })
      return openCallback(browser, op, location.replace("/callback/a", "/callback/b"))
    }
    await expectRefused(site, { attempt, provider: "b", reason: /could not be checked/, tokenCalls: 0, flowsLeft: 2 })
  })

  const SPELLINGS = ["Response_Mode", "REQUEST_URI", "Request", "redirect.uri", "redirect uri", "response.mode"]
  const MORE = ["redirect_uri[]", "request[uri]", " state", "state\0", "Code_Challenge_Method", "code.challenge"]
  const AUTHORITY = ["Scope", "authorization_details", "Authorization_Details", "__proto__", "client_secret[0]"]

  it.each(rows([...SPELLINGS, ...MORE, ...AUTHORITY]))(
    "OID-42: does not forward %j, which some servers normalize to a protocol parameter",
    async (name) => {
      const { app } = await createSite()
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

  it("OID-42: does not forward the query of the sign-in page to the provider", async () => {
    const { app } = await createSite()
    const browser = app.browser()
    const html = await (await browser.get("/auth/signin?redirect_uri=https://evil.test&login_hint=evil&x=1")).text()
    const { location } = await browser.submit(browser.form(html, "/signin/oidc"))
    expect(location).not.toContain("evil")
    expect(param(location, "redirect_uri")).toBe(`${app.origin}/auth/callback/oidc`)
  })

  const withMaxAge = () => [op.oidc({ authorization: { params: { max_age: 60 } } })]

  it.each(rows(["?max_age=999999999", "?max_age=", "?max_age=never", "?max_age=61", "?Max_Age=9999", ""]))(
    "OID-52: the query cannot relax the configured max_age: %j",
    async (query) => {
      const site = await createSite({ providers: withMaxAge() })
      const attempt = async (browser: Browser) => {
        const { location } = await begin(browser, { query })
        expect(new URL(location).searchParams.getAll("max_age")).toEqual(["60"])
        expect(location).not.toContain("9999")
        return openCallback(browser, op, await op.authorize(location))
      }
      const claims = (own: Claims) => ({ ...own, auth_time: now() - 600 })
      await expectRefused(site, { attempt, mode: { claims }, reason: /too much time/ })
    },
  )

  it("OID-52: the query can request a stricter max_age than the configured one", async () => {
    const site = await createSite({ providers: withMaxAge() })
    const attempt = (browser: Browser) => signIn(browser, op, { query: "?max_age=0" })
    const claims = (own: Claims) => ({ ...own, auth_time: now() - 50 })
    await expectRefused(site, { attempt, mode: { claims }, reason: /too much time/ })
  })
})

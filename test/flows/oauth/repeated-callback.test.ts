/** A callback that a browser requests again after its sign-in: by the back button, a reload, or a second click on a link. */
import { describeServers } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, startMailSite } from "../support/mail.js"
import {
  begin,
  openCallback,
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

describeServers("A callback that is requested again", (start, stage) => {
  const createSite = (options = {}) => startSite({ start, stage, op }, options)

  it("redirects a signed-in user to the return URL without a new session, event or error", async () => {
    const { app, events, failures, forget } = await createSite()
    const browser = app.browser()
    const back = await startAndApprove(browser, op, { callbackUrl: "/cart?step=2" })
    await openCallback(browser, op, back)
    const cookies = sessionCookies(browser)
    forget()
    for (const address of [back, back, withParams(back, { code: "of-the-next-consent" })]) {
      const page = await openCallback(browser, op, address)
      expect([page.status, page.location]).toEqual([302, `${app.origin}/cart?step=2`])
    }
    expect(sessionCookies(browser)).toEqual(cookies)
    expect([events.filter(({ name }) => name !== "session"), failures()]).toEqual([[], []])
  })

  it("redirects to the return URL of each of two tabs, also without the state check", async () => {
    const { app } = await createSite({ sessions: "database" })
    const browser = app.browser()
    const tabs = [
      await startAndApprove(browser, op, { callbackUrl: "/a" }),
      await startAndApprove(browser, op, { callbackUrl: "/b" }),
    ]
    for (const tab of [...tabs, ...tabs]) await openCallback(browser, op, tab)
    const landed = await Promise.all(tabs.map(async (tab) => (await openCallback(browser, op, tab)).location))
    expect(landed).toEqual([`${app.origin}/a`, `${app.origin}/b`])

    const stateless = await createSite({ providers: [{ ...op.oidc(), checks: ["pkce", "nonce"] }] })
    const other = stateless.app.browser()
    const back = await startAndApprove(other, op, { callbackUrl: "/c" })
    await openCallback(other, op, back)
    expect((await openCallback(other, op, back)).location).toBe(`${stateless.app.origin}/c`)
  })

  it("redirects to the return URL after a repeated form_post response", async () => {
    const { app } = await createSite({
      providers: [op.oidc({ authorization: { params: { response_mode: "form_post" } } })],
    })
    const browser = app.browser()
    const { action, fields } = await op.authorizeByForm((await begin(browser, { callbackUrl: "/posted" })).location)
    const post = async () => {
      const { location } = await browser.post(action, fields, { from: op.issuer })
      return (await browser.get(location, { from: op.issuer })).location
    }
    expect([await post(), await post()]).toEqual([`${app.origin}/posted`, `${app.origin}/posted`])
  })

  it("is rejected in another browser, after signing out, as another user, and after 15 minutes", async () => {
    const time = { now: Date.now() }
    const { app } = await createSite({ config: { clock: () => time.now } })
    const browser = app.browser({ now: () => time.now })
    const back = await startAndApprove(browser, op)
    await openCallback(browser, op, back)
    const signedIn = browser.clone()
    const errorFor = async (tab = browser) => errorOf(await openCallback(tab, op, back))
    expect(await errorFor(app.browser())).toBe("OAuthCallbackError")

    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect([await errorFor(), await sessionOf(browser)]).toEqual(["OAuthCallbackError", null])

    op.set({ claims: (claims) => ({ ...claims, sub: "eve", email: "eve@evil.test" }) })
    await signIn(browser, op)
    op.reset()
    expect([await errorFor(), (await sessionOf(browser))?.user?.["email"]]).toEqual([
      "OAuthCallbackError",
      "eve@evil.test",
    ])

    time.now += 16 * 60_000
    expect(await errorFor(signedIn)).toBe("OAuthCallbackError")
  })

  it("is rejected after the signIn callback denied the sign-in, and a new sign-in can start", async () => {
    const { app, behave } = await createSite({ config: { callbacks: { signIn: () => false } } })
    const browser = app.browser()
    const back = await startAndApprove(browser, op)
    expect(errorOf(await openCallback(browser, op, back))).toBe("AccessDenied")
    expect(errorOf(await openCallback(browser, op, back))).toBe("OAuthCallbackError")
    behave()
    const { location } = await begin(browser)
    expect(location).toContain(op.issuer)
  })

  it("redirects to the return URL if the jwt callback replaced the subject", async () => {
    const jwt = ({ token }: { token: object }) => ({ ...token, sub: "of-the-application" })
    const { app } = await createSite({ sessions: "jwt", config: { callbacks: { jwt } } })
    const browser = app.browser()
    const back = await startAndApprove(browser, op, { callbackUrl: "/there" })
    await openCallback(browser, op, back)
    expect((await openCallback(browser, op, back)).location).toBe(`${app.origin}/there`)
  })

  it("redirects to the return URL on a second click on an email link, only in the same browser", async () => {
    const { mail, browser: createBrowser, app, failures } = await startMailSite(start)
    const browser = createBrowser()
    await askForLink(browser, "ada@example.com", { callbackUrl: "/inbox" })
    const link = mail.linkTo("ada@example.com")
    expect((await browser.get(link)).location).toBe(`${app.origin}/inbox`)
    expect((await browser.get(link)).location).toBe(`${app.origin}/inbox`)
    expect((await createBrowser().get(link)).status).toBe(200)
    expect(failures()).toEqual([])
  })

  it("is not remembered if the session leaves no room for another cookie", async () => {
    const jwt = ({ token }: { token: object }) => ({ ...token, permissions: "x".repeat(3_900) })
    const { app } = await createSite({ sessions: "jwt", config: { callbacks: { jwt } } })
    const browser = app.browser()
    await signIn(browser, op, { callbackUrl: `/${"long".repeat(200)}` })
    expect(await sessionOf(browser)).not.toBeNull()
    const sent = browser.cookies().reduce((sum, { name, value }) => sum + name.length + value.length + 3, 0)
    expect(sent).toBeLessThanOrEqual(7 * 1024)
  })
})

/**
 * Features that are not supported have no endpoint: front-channel logout and sign-ins that another site starts.
 *
 * @module
 */
import { describeServers } from "../../support/apps.js"
import { createSigningKey, publicJwk, signIdToken } from "../../support/faulty-provider/signing.js"
import { guardProcess } from "../support/guard.js"
import { flowCookies, type SiteOptions, sessionCookies, sessionOf, signIn, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const EVENT = "http://schemas.openid.net/event/backchannel-logout"

describeServers("unsupported features", (start, stage) => {
  /** Signs in a user and clears the log and the events. */
  async function signInUser(options?: SiteOptions) {
    const site = await startSite({ start, stage, op }, options)
    const browser = site.app.browser()
    await signIn(browser, op)
    site.forget()
    op.requests.length = 0
    return { site, browser }
  }

  type SignedIn = Awaited<ReturnType<typeof signInUser>>

  /** Expects that the user is still signed in and that there was no new sign-in, event, provider request or error. */
  async function expectUntouched({ site, browser }: SignedIn): Promise<void> {
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
    expect([flowCookies(browser), op.requests]).toEqual([[], []])
    expect(site.events.filter(({ name }) => name !== "session")).toEqual([])
    expect(site.failures().filter(({ level }) => level === "error")).toEqual([])
  }

  it.each(["/auth/initiate", "/auth/login", "/auth/initiate/oidc", "/auth/signin/oidc/initiate"])(
    "OID-56: another site cannot start a sign-in at %s",
    async (path) => {
      const signedIn = await signInUser()
      const query = new URLSearchParams({
        ...{ iss: op.issuer, target_link_uri: "https://evil.test", login_hint: "mallory" },
      })
      for (const from of ["https://evil.test", undefined])
        for (const browser of [signedIn.browser, signedIn.site.app.browser()]) {
          const visit = from === undefined ? {} : { from }
          const pages = [await browser.get(`${path}?${query}`, visit), await browser.post(path, query, visit)]
          for (const page of pages) {
            expect([page.status, page.location, page.headers.getSetCookie()]).toEqual([404, "", []])
            expect(await page.text()).not.toContain("evil.test")
          }
        }
      await expectUntouched(signedIn)
    },
  )

  it.each(["GET", "POST"])("OID-56: a cross-site %s to the sign-in URL does not start a sign-in", async (method) => {
    const signedIn = await signInUser()
    const { browser, site } = signedIn
    const path = "/auth/signin/oidc?iss=https://op.test&target_link_uri=https://evil.test&callbackUrl=https://evil.test"
    const page =
      method === "GET"
        ? await browser.get(path, { from: "https://evil.test" })
        : await browser.post(path, { csrfToken: await browser.csrf() }, { from: "https://evil.test" })
    expect(page.location).not.toContain(op.base)
    if (page.location) expect(new URL(page.location).origin).toBe(site.app.origin)
    const [kept] = browser.cookies().filter(({ name }) => name.endsWith("callback-url"))
    expect(kept?.value ?? "").not.toContain("evil")
    await expectUntouched(signedIn)
  })

  it("OID-53: signs out of the application only and ignores parameters for a provider logout", async () => {
    const { site, browser } = await signInUser()
    const csrfToken = await browser.csrf()
    const query = `?federated=true&id_token_hint=x.y.z&post_logout_redirect_uri=https://evil.test&state=odd`
    const page = await browser.post(`/auth/signout${query}`, { csrfToken })
    expect([page.status, new URL(page.location).origin]).toEqual([302, site.app.origin])
    expect(page.location).not.toMatch(/evil|id_token|state=/)
    expect([await sessionOf(browser), sessionCookies(browser), op.requests]).toEqual([null, [], []])
    expect(site.events.map(({ name }) => name).filter((name) => name !== "session")).toEqual(["signOut"])
    // A return with an unknown state shows the page and changes nothing.
    const back = await browser.get("/auth/signout?state=odd&sid=1", { from: op.issuer })
    expect([back.status, await sessionOf(browser)]).toEqual([200, null])
  })

  it("OID-53: redirects to the provider's logout after signing out if the redirect callback allows it", async () => {
    const end = `${op.base}/end-session?client_id=${op.client.clientId}`
    const redirect = ({ url, baseUrl }: { url: string; baseUrl: string }) => (url === end ? url : baseUrl)
    const { browser } = await signInUser({ config: { callbacks: { redirect } } })
    const csrfToken = await browser.csrf()
    const page = await browser.post("/auth/signout", { csrfToken, callbackUrl: end })
    expect([page.location, sessionCookies(browser), await sessionOf(browser)]).toEqual([end, [], null])
    const evil = `${end}&post_logout_redirect_uri=https://evil.test`
    const other = await browser.post("/auth/signout", { csrfToken, callbackUrl: evil })
    expect(other.location).not.toContain("evil")
  })

  it.each(["/auth/backchannel/oidc", "/auth/backchannel-logout", "/auth/backchannel", "/auth/logout/oidc"])(
    "OID-54: a logout token at %s, which is not the endpoint, does not end a session",
    async (path) => {
      const signedIn = await signInUser()
      const seconds = Math.floor(Date.now() / 1000)
      const claims = {
        ...{ iss: op.issuer, aud: op.client.clientId, sub: "alice", sid: "1", jti: "1", iat: seconds },
        ...{ exp: seconds + 120, events: { [EVENT]: {} } },
      }
      const header = (own: object) => ({ ...own, typ: "logout+jwt" })
      const forger = await createSigningKey("RS256")
      const jwk = () => ({ ...header({ alg: "RS256" }), jwk: publicJwk(forger) })
      for (const mode of [
        { header },
        { header, alg: "none" as const },
        { key: forger, header: jwk },
        { header, sig: "stripped" as const },
      ]) {
        const logout_token = await signIdToken(claims, mode, op.keys)
        const page = await signedIn.site.app.browser().post(path, { logout_token }, { from: op.issuer })
        expect([page.status, page.headers.getSetCookie()]).toEqual([404, []])
      }
      await expectUntouched(signedIn)
    },
  )

  it.each(["/auth/frontchannel/oidc", "/auth/frontchannel-logout", "/auth/signout/oidc"])(
    "OID-55: a front-channel logout request at %s does not end a session",
    async (path) => {
      const signedIn = await signInUser()
      for (const iss of [op.issuer, "https://evil.test"]) {
        const page = await signedIn.browser.get(`${path}?${new URLSearchParams({ iss, sid: "1" })}`, {
          from: op.issuer,
        })
        expect([page.status, page.headers.getSetCookie()]).toEqual([404, []])
      }
      await expectUntouched(signedIn)
    },
  )

  it("OID-55: a GET of the sign-out page does not end a session, and the page cannot be framed", async () => {
    const signedIn = await signInUser()
    const page = await signedIn.browser.get(`/auth/signout?iss=${op.issuer}&sid=1`, { from: op.issuer })
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    await expectUntouched(signedIn)
  })

  it.each([
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "assets",
    "signin/__proto__",
    "callback/constructor",
    "webauthn-options/toString",
  ])("ADV-21: responds 404 to /auth/%s", async (name) => {
    const signedIn = await signInUser()
    const csrfToken = await signedIn.browser.csrf()
    for (const page of [
      await signedIn.browser.get(`/auth/${name}`),
      await signedIn.browser.post(`/auth/${name}`, { csrfToken }),
    ]) {
      expect([page.status, page.headers.getSetCookie()]).toEqual([404, []])
    }
    await expectUntouched(signedIn)
  })
})

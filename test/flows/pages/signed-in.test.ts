/** The sign-in page that a signed-in user sees. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import Credentials from "../../../lib/providers/credentials.js"
import GitHub from "../../../lib/providers/github.js"
import GitLab from "../../../lib/providers/gitlab.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf } from "../../express/support/servers.js"
import { describeServers, recordingLogger } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { visibleText } from "../../support/html.js"
import { failOnUnhandled } from "../../support/unhandled.js"
import { sessionCookies } from "../support/site.js"

failOnUnhandled()

const IMAGE = "data:image/png;base64,iVBORw0KGgo="
const password = (image: string | null = null) =>
  Credentials({ authorize: () => ({ id: "7", name: "Ada Lovelace", email: "ada@example.com", image }) })

describeServers("sign-in page of a signed-in user", (start) => {
  async function signInUser(over: Partial<AuthConfig> = {}): Promise<Browser> {
    const providers = [password(), GitHub({ clientId: "i", clientSecret: "s" })]
    const config = configOf({ providers, adapter: MemoryAdapter(), session: { strategy: "jwt" }, ...over })
    const { browser: newBrowser } = await start(config)
    const browser = newBrowser()
    await browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf() })
    return browser
  }
  const show = async (browser: Browser, query = "") => (await browser.get(`/auth/signin${query}`)).text()

  it("names the current user, and offers to continue, to connect another method and to switch the user", async () => {
    const browser = await signInUser()
    const html = await show(browser, "?callbackUrl=/orders")
    expect(visibleText(html)).toMatch(
      /^A You're signed in already Ada Lovelace ada@example\.com Continue Connect another way to sign in Switch user$/,
    )
    const links = [...html.matchAll(/<a class="button[^"]*" href="([^"]*)"/g)].map(([, href = ""]) => new URL(href))
    expect(links.map(({ pathname, searchParams }) => [pathname, searchParams.get("connect")])).toEqual([
      ["/orders", null],
      ["/auth/signin", "true"],
    ])
  })

  it("ends the session when the user is switched, and shows the sign-in page with the same return URL", async () => {
    const browser = await signInUser()
    const page = await browser.submit(browser.form(await show(browser, "?callbackUrl=/orders")))
    const { pathname, searchParams } = new URL(page.location)
    expect([pathname, new URL(searchParams.get("callbackUrl") ?? "").pathname]).toEqual(["/auth/signin", "/orders"])
    expect(visibleText(await show(browser))).toMatch(/^Sign in to continue/)
  })

  it("connects with a provider, but not with a form that signs in another user", async () => {
    const browser = await signInUser()
    const html = await show(browser, "?connect=true")
    expect(visibleText(html)).toMatch(/^Connect another way to sign in Continue with GitHub$/)
  })

  it.each([
    ["with an adapter", {}, /^Connect another way to sign in Continue with GitHub$/],
    ["without an adapter", { adapter: undefined }, /^Sign in to continue .*Continue with GitHub$/],
  ])("shows the button of the provider that the path names, %s", async (_, over, text) => {
    const providers = [
      password(),
      GitHub({ clientId: "i", clientSecret: "s" }),
      GitLab({ clientId: "i", clientSecret: "s" }),
    ]
    const browser = await signInUser({ providers, ...over })
    expect(visibleText(await show(browser, "/github?callbackUrl=/repositories"))).toMatch(text)
    const started = await browser.submit(browser.form(await show(browser, "/github?callbackUrl=/repositories")))
    expect(new URL(started.location).host).toBe("github.com")
  })

  it("names the current user if the path names a provider without a redirect", async () => {
    expect(visibleText(await show(await signInUser(), "/credentials"))).toMatch(/^A You're signed in already/)
  })

  it("shows the methods after an error, so that the user can try again", async () => {
    expect(visibleText(await show(await signInUser(), "?error=OAuthCallbackError"))).toMatch(/^Sign in to continue/)
  })

  it("does not use itself as the return URL", async () => {
    const html = await show(await signInUser(), "?callbackUrl=/auth/signin")
    expect(/class="button primary" href="([^"]*)"/.exec(html)?.[1]).not.toContain("signin")
  })

  it.each([
    [IMAGE, true],
    ["/ada.png", true],
    ["https://cdn.example.com/ada.png", false],
    ["javascript:alert(1)", false],
  ])("shows a picture only if the Content-Security-Policy allows it: %s", async (image, isShown) => {
    const html = await show(await signInUser({ providers: [password(image)] }))
    expect(html.includes("<img")).toBe(isShown)
  })

  it("does not renew the session, for GET and HEAD", async () => {
    const browser = await signInUser({ session: { strategy: "jwt", updateAge: 0 } })
    const before = sessionCookies(browser)
    const replies = [await browser.get("/auth/signin"), await browser.request("/auth/signin", { method: "HEAD" })]
    for (const { headers } of replies) expect(headers.getSetCookie().join()).not.toContain("session-token")
    expect(sessionCookies(browser)).toEqual(before)
  })

  it("shows the methods if the session can't be read", async () => {
    const state = { isBroken: false }
    const session: NonNullable<AuthConfig["callbacks"]>["session"] = ({ session: read }) => {
      if (state.isBroken) throw new Error("broken")
      return read
    }
    const browser = await signInUser({ callbacks: { session }, logger: recordingLogger().logger })
    state.isBroken = true
    expect(visibleText(await show(browser))).toMatch(/^Sign in to continue/)
  })
})

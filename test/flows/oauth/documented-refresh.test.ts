/**
 * Runs the token refresh example of docs/oauth.md.
 *
 * @module
 */
import type { CallbacksOptions } from "../../../lib/types.js"
import { describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import type { ProviderMode } from "../../support/faulty-provider.js"
import { documentedConfig } from "../support/documented.js"
import { guardProcess } from "../support/guard.js"
import { sessionCookies, sessionOf, signIn, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const TOKEN_URL = "https://id.example.com/oauth/token"

/** The documented callbacks, with the address and client of this provider instead of the example's. */
function documented(): Partial<CallbacksOptions> {
  const { clientId, clientSecret } = op.client
  const scope = {
    process: { env: { AUTH_EXAMPLE_ID: clientId, AUTH_EXAMPLE_SECRET: clientSecret } },
    example: op.oidc(),
    fetch: (url: string, init: RequestInit) => fetch(url.replace(TOKEN_URL, `${op.base}/token`), init),
  }
  return documentedConfig("docs/oauth.md", TOKEN_URL, scope).callbacks ?? {}
}

describeServers("the token refresh example of docs/oauth.md", (start, stage) => {
  /** Signs in a user whose access token is about to expire. */
  async function signInUser(answer: NonNullable<ProviderMode["token"]> = (json) => ({ ...json, expires_in: 30 })) {
    const callbacks: Partial<CallbacksOptions> = {
      ...documented(),
      session: ({ session, token }) => ({ ...session, access: token["accessToken"] }),
    }
    const site = await startSite({ start, stage, op }, { sessions: "jwt", config: { callbacks } })
    op.set({ token: answer })
    const browser = site.app.browser()
    await signIn(browser, op)
    op.reset()
    const [old] = [...op.secrets].filter((text) => text.startsWith("at-"))
    return { site, browser, old }
  }

  const refreshes = () => op.to("/token").filter(({ form }) => form["grant_type"] === "refresh_token").length
  const readAccessToken = async (browser: Browser) => Reflect.get(Object(await sessionOf(browser)), "access")

  it("refreshes the token once for concurrent requests and a later request with the old cookie", async () => {
    const { browser, old } = await signInUser()
    const tabs = Array.from({ length: 8 }, () => browser.clone())
    const tokens = new Set(await Promise.all(tabs.map(readAccessToken)))
    // A later request with the old cookie.
    tokens.add(await readAccessToken(browser.clone()))
    expect([tokens.size, tokens.has(old), tokens.has(undefined), refreshes()]).toEqual([1, false, false, 1])
    expect(await sessionOf(tabs[0] ?? browser)).toMatchObject({ user: { email: "alice@example.com" } })
    expect(refreshes()).toBe(1)
  })

  it("accepts a refresh response without an id_token and without a new refresh token", async () => {
    const { browser, old } = await signInUser()
    op.set({
      omitIdToken: true,
      token: ({ refresh_token: _, ...json }) => ({ ...json, expires_in: 30 }),
      reusableCodes: true,
    })
    const first = await readAccessToken(browser)
    const second = await readAccessToken(browser)
    expect(new Set([old, first, second]).size).toBe(3)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: "alice@example.com" } })
  })

  it.each<[string, NonNullable<ProviderMode["token"]>]>([
    ["no expires_in", ({ expires_in: _, ...json }) => json],
    ["no refresh token", ({ refresh_token: _, ...json }) => ({ ...json, expires_in: 30 })],
  ])("keeps the session and does not refresh if the token response has %s", async (_, answer) => {
    const { browser, old } = await signInUser(answer)
    expect([await readAccessToken(browser), await readAccessToken(browser), refreshes()]).toEqual([old, old, 0])
  })

  it("ends the session if the provider rejects the refresh token", async () => {
    const { browser } = await signInUser()
    op.set({ fault: { token: { status: 400, body: { error: "invalid_grant" } } } })
    expect([await sessionOf(browser), sessionCookies(browser)]).toEqual([null, []])
  })

  it.each<[string, NonNullable<NonNullable<ProviderMode["fault"]>["token"]>]>([
    ["is down", "reset"],
    ["responds with 503", { status: 503, body: {} }],
    ["responds with an HTML page", "html"],
    ["redirects the request", { status: 302, headers: { location: "https://evil.test/" } }],
  ])("keeps the current token while the provider %s", async (_, token) => {
    const { browser, old } = await signInUser()
    op.set({ fault: { token } })
    expect(await readAccessToken(browser)).toBe(old)
    op.reset()
    expect(await readAccessToken(browser)).not.toBe(old)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: "alice@example.com" } })
  })
})

import type { AuthConfig } from "../../lib/types.js"
import type { Page } from "../support/browser.js"
import { type RealClient, type RealProvider, signInAtProvider, startRealProvider } from "../support/real-provider.js"
import { type Application, textOf, useApplications, useTerminal } from "./support/application.js"

const terminal = useTerminal()
const start = useApplications()

let op: RealProvider
beforeAll(async () => {
  op = await startRealProvider()
})
afterAll(() => op.close())

const SECRET = "a client secret of thirty-two letters, or more"

interface Setting {
  readonly client?: Partial<RealClient>
  readonly config?: Partial<AuthConfig>
  readonly clientSecret?: string
}

/** Starts an application at the provider, with a correct registration unless an option changes it. */
async function startAt({ client, config, clientSecret = SECRET }: Setting): Promise<Application> {
  const client_id = crypto.randomUUID()
  const provider = { ...op.oidc({ client: {} }), clientId: client_id, clientSecret }
  const app = await start({ config: { providers: [provider], ...config } })
  const redirect_uris = [`${app.address}/auth/callback/real`]
  await op.addClient({ client_id, client_secret: SECRET, redirect_uris, ...client })
  return app
}

/** Signs in at the provider and returns to the application. */
async function signIn(app: Application): Promise<Page> {
  const browser = app.browser()
  const { location } = await browser.post("/auth/signin/real", { csrfToken: await browser.csrf() })
  const back = await signInAtProvider(browser, location, "alice")
  return browser.get(back, { from: op.issuer, follow: true })
}

it("signs in with a correct registration", async () => {
  expect((await signIn(await startAt({}))).url).toMatch(/\/$/)
  expect(terminal.text()).toBe("")
})

describe("an unregistered redirect URI", () => {
  it("can be read in the URL of the provider's error page", async () => {
    const app = await startAt({ client: { redirect_uris: ["https://shop.test/auth/callback/real"] } })
    const browser = app.browser()
    const { location } = await browser.post("/auth/signin/real", { csrfToken: await browser.csrf() })
    const page = await browser.get(location)
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining("redirect_uri")])
    expect(new URL(location).searchParams.get("redirect_uri")).toBe(`${app.address}/auth/callback/real`)
  })

  it("is logged with the exact URI if the provider redirects back with an error", async () => {
    const app = await startAt({})
    const browser = app.browser()
    const { location } = await browser.post("/auth/signin/real", { csrfToken: await browser.csrf() })
    const state = new URL(location).searchParams.get("state") ?? ""
    const answer = new URLSearchParams({ error: "redirect_uri_mismatch", state })
    const page = await browser.get(`/auth/callback/real?${answer}`, { from: op.issuer, follow: true })
    expect([page.status, await textOf(page)]).toEqual([200, expect.stringMatching(/Reference: \S+/)])
    expect(terminal.text()).toContain("[latchkey][error][redirect-uri-mismatch]")
    expect(terminal.text()).toContain(`"hint":"register exactly this redirect URI at the provider"`)
    expect(terminal.text()).toContain(`"redirect_uri":"${app.address}/auth/callback/real"`)
  })
})

describe("the client secret", () => {
  it("is reported as refused and possibly expired if it has expired", async () => {
    const app = await startAt({ client: { client_secret_expires_at: Math.floor(Date.now() / 1000) - 60 } })
    const page = await signIn(app)
    expect([page.status, new URL(page.url).searchParams.get("error")]).toEqual([200, "OAuthCallbackError"])
    expect(terminal.text()).toContain("[latchkey][error][client-refused] OAuthCallbackError:")
    expect(terminal.text()).toMatch(
      /\[cause\] TokenRefusal: the token endpoint answered "invalid_client" with status 400: .*its client secret is expired/,
    )
    expect(terminal.text()).toContain(
      "compare the client id and secret with the provider's console; the secret may have expired",
    )
    expect(terminal.text()).not.toContain(SECRET)
  })

  it("is reported as refused if it is wrong", async () => {
    await signIn(await startAt({ clientSecret: "a secret that was copied from another line" }))
    expect(terminal.text()).toContain("[latchkey][error][client-refused]")
    expect(terminal.text()).not.toContain("a secret that was copied")
  })
})

describe("the server's clock", () => {
  const clock = (minutes: number) => ({ config: { clock: () => Date.now() + minutes * 60_000 } })

  it("is reported with its difference and the fix if it is behind", async () => {
    const page = await signIn(await startAt(clock(-10)))
    expect(await textOf(page)).toMatch(/Reference: \S+/)
    expect(terminal.text()).toContain("[latchkey][error][clock-skew] OAuthCallbackError:")
    expect(terminal.text()).toMatch(
      /the id_token is from the future: compare the clocks; the time is 20\S+Z on this server and 20\S+Z at the provider: this server is (?:599|60[01]) s behind\. Synchronise its clock: timedatectl set-ntp true/,
    )
  })

  it("is reported with its difference if it is ahead by more than the token's lifetime", async () => {
    await signIn(await startAt(clock(120)))
    expect(terminal.text()).toContain("[latchkey][error][clock-skew]")
    expect(terminal.text()).toMatch(/this server is 7(?:199|20[01]) s ahead\. Synchronise its clock/)
  })
})

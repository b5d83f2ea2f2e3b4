/**
 * Providers of `@auth/core` in our configuration: they sign in, and every call uses their custom `fetch`.
 *
 * @module
 */
import { customFetch } from "@auth/core"
import Apple from "@auth/core/providers/apple"
import GitHub from "@auth/core/providers/github"
import Google from "@auth/core/providers/google"
import type { AuthConfig } from "../../lib/index.js"
import type { Page } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { type Site, startLatchkey } from "./support/sites.js"

failOnUnhandled()

const SECRET = "a secret for tests alone, of many letters and a few more"
const SILENT = { error() {}, warn() {}, debug() {} }
const CLIENT = { clientId: "the-client", clientSecret: "the-client's-secret" }

const realFetch = globalThis.fetch
let op: FaultyProvider
const sites: Site[] = []
beforeAll(async () => {
  op = await startFaultyProvider(CLIENT)
})
beforeEach(() => {
  op.reset()
  op.requests.length = 0
  globalThis.fetch = async (input) => {
    throw new Error(`a call did not use the provider's custom fetch: ${String(input)}`)
  }
})
afterEach(() => {
  globalThis.fetch = realFetch
})
afterAll(async () => {
  await Promise.all(sites.map((site) => site.close()))
  await op.close()
})

async function start(config: Partial<AuthConfig>): Promise<Site> {
  const more: Partial<AuthConfig> = {
    callbacks: {
      jwt: ({ token, account }) => ({ ...token, ...(account && { account: account.providerAccountId }) }),
      session: ({ session, token }) => ({ ...session, account: token["account"] }),
    },
  }
  const site = await startLatchkey({ secret: SECRET, logger: SILENT, providers: [], ...more, ...config })
  sites.push(site)
  return site
}

/** Simulates a provider: maps its URLs to the local provider, and records the calls. */
function simulateProvider(issuer: string): { fetch: typeof fetch; calls: string[]; local: (url: string) => string } {
  const renamed = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(op.base, issuer))
  op.set({
    discovery: renamed,
    claims: (claims) => ({ ...claims, iss: issuer }),
    authorizationResponse: (parameters) => ({ ...parameters, iss: issuer }),
  })
  const calls: string[] = []
  const local = (url: string) => url.replace(issuer, op.base)
  const viaLocal: typeof fetch = (input, init) => {
    const url = String(input)
    calls.push(url)
    if (!url.startsWith(issuer)) throw new Error(`no server is simulated at ${url}`)
    return realFetch(local(url), init)
  }
  return { fetch: viaLocal, calls, local }
}

async function signInVia(
  site: Site,
  id: string,
  local: (url: string) => string,
): Promise<{ page: Page; session: unknown }> {
  const browser = site.browser()
  const start = await browser.post(`/auth/signin/${id}`, { csrfToken: await browser.csrf(), callbackUrl: "/cart" })
  const page = await browser.get(await op.authorize(local(start.location)))
  return { page, session: await (await browser.get("/me")).json() }
}

const ALICE = { user: { name: "Alice", email: "alice@example.com" }, account: "alice" }

it("Google signs in with its custom fetch", async () => {
  const issuer = "https://accounts.google.com"
  const google = simulateProvider(issuer)
  const site = await start({ providers: [Google({ ...CLIENT, [customFetch]: google.fetch })] })
  const { page, session } = await signInVia(site, "google", google.local)
  expect([page.status, page.location]).toEqual([302, "http://app.test/cart"])
  expect(session).toMatchObject(ALICE)
  expect(google.calls).toEqual([
    `${issuer}/.well-known/openid-configuration`,
    `${issuer}/token`,
    expect.stringContaining(`${issuer}/jwks-`),
  ])
})

it("a custom provider object signs in", async () => {
  const issuer = "https://id.example.com"
  const own = simulateProvider(issuer)
  const provider = { id: "own", name: "Own", type: "oidc" as const, issuer, ...CLIENT, [customFetch]: own.fetch }
  const { page, session } = await signInVia(await start({ providers: [provider] }), "own", own.local)
  expect(page.location).toBe("http://app.test/cart")
  expect(session).toMatchObject(ALICE)
})

it("Apple signs in with its custom fetch by form_post", async () => {
  const issuer = "https://appleid.apple.com"
  const apple = simulateProvider(issuer)
  const site = await start({ providers: [Apple({ ...CLIENT, [customFetch]: apple.fetch })] })
  const browser = site.browser()
  const begun = await browser.post("/auth/signin/apple", { csrfToken: await browser.csrf() })
  const { action, fields } = await op.authorizeByForm(apple.local(begun.location))
  const user = JSON.stringify({ name: { firstName: "Alice", lastName: "Liddell" }, email: "alice@example.com" })
  const back = await browser.post(action, { ...fields, user }, { from: issuer })
  const page = await browser.get(back.location, { from: issuer })
  expect([back.status, page.status, page.location]).toEqual([303, 302, "http://app.test/"])
  expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "Alice Liddell" }, account: "alice" })
})

describe("GitHub without options", () => {
  const kept = { ...process.env }
  beforeEach(() => {
    Object.assign(process.env, { AUTH_GITHUB_ID: "id-of-env", AUTH_GITHUB_SECRET: "secret-of-env" })
  })
  afterEach(() => {
    process.env = { ...kept }
  })

  /** Simulates GitHub, and returns the recorded requests with their credentials. */
  function simulateGitHub(user: object): string[] {
    const calls: string[] = []
    const answers: Record<string, unknown> = {
      "https://github.com/login/oauth/access_token": {
        access_token: "gho_1",
        token_type: "bearer",
        scope: "read:user",
      },
      "https://api.github.com/user": { id: 583231, login: "octocat", name: null, avatar_url: "/octocat.png", ...user },
      "https://api.github.com/user/emails": [
        { email: "old@example.com", primary: false, verified: true },
        { email: "Octo@Example.com", primary: true, verified: true },
      ],
    }
    globalThis.fetch = async (input, init) => {
      const url = String(input)
      calls.push(`${url} ${new Headers(init?.headers).get("authorization")}`)
      return url in answers ? Response.json(answers[url]) : new Response("not here", { status: 404 })
    }
    return calls
  }

  async function signIn(): Promise<{ start: URL; session: unknown }> {
    const browser = (await start({ providers: [GitHub] })).browser()
    const begun = await browser.post("/auth/signin/github", { csrfToken: await browser.csrf() })
    const url = new URL(begun.location)
    const state = url.searchParams.get("state") ?? ""
    await browser.get(`/auth/callback/github?code=1&state=${encodeURIComponent(state)}`, { from: "https://github.com" })
    return { start: url, session: await (await browser.get("/me")).json() }
  }

  it("signs in with the credentials from the environment", async () => {
    const calls = simulateGitHub({ email: "octocat@github.com" })
    const { start: url, session } = await signIn()
    expect(url.origin + url.pathname).toBe("https://github.com/login/oauth/authorize")
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: "id-of-env",
      scope: "read:user user:email",
      redirect_uri: "http://app.test/auth/callback/github",
    })
    expect(session).toMatchObject({
      user: { name: "octocat", email: "octocat@github.com", image: "/octocat.png" },
      account: "583231",
    })
    expect(calls).toEqual([
      `https://github.com/login/oauth/access_token Basic ${btoa("id-of-env:secret-of-env")}`,
      "https://api.github.com/user Bearer gho_1",
    ])
  })

  it("requests the address if the profile hides it", async () => {
    simulateGitHub({ email: null })
    expect((await signIn()).session).toMatchObject({ user: { email: "octo@example.com" } })
  })

  it("fails at startup without its variables and names them", async () => {
    delete process.env["AUTH_GITHUB_SECRET"]
    await expect(start({ providers: [GitHub] })).rejects.toThrow("AUTH_GITHUB_SECRET")
  })
})

import { Auth, customFetch } from "../../lib/index.js"
import type { OAuth2Config } from "../../lib/provider-kit/provider.js"
import Credentials from "../../lib/providers/credentials.js"
import type { AuthConfig } from "../../lib/types.js"
import { TEST_SECRET } from "../support/apps.js"
import { anyDestination, fc } from "../support/properties.js"
import { failOnUnhandled } from "../support/unhandled.js"

failOnUnhandled()

const PROVIDER = "https://provider.test"

/** A provider that responds at once, without a network. */
const respond: typeof fetch = async (input) =>
  String(input).endsWith("/token")
    ? Response.json({ access_token: "t", token_type: "bearer" })
    : Response.json({ id: "ada" })

const provider: OAuth2Config = {
  ...{ id: "oauth", name: "Provider", type: "oauth", clientId: "c", clientSecret: "s" },
  ...{ authorization: `${PROVIDER}/authorize`, token: `${PROVIDER}/token`, userinfo: `${PROVIDER}/userinfo` },
  profile: ({ id }) => ({ id: String(id) }),
  [customFetch]: respond,
}

const ada = Credentials({
  credentials: { name: {} },
  authorize: ({ name }) => (name === "ada" ? { id: "ada" } : null),
})

const baseConfig = {
  providers: [provider, ada],
  secret: TEST_SECRET,
  trustHost: true,
  basePath: "/auth",
  rateLimit: false,
}
const silentLogger = { error() {}, warn() {}, debug() {} }

/** Configurations with the built-in pages and with the application's. */
const CONFIGS = [{}, { pages: { signIn: "/in", signOut: "/out", error: "/oops", newUser: "/hello" } }].map(
  (more): AuthConfig => ({ ...baseConfig, logger: silentLogger, ...more }) as AuthConfig,
)

/** A browser with a cookie jar, at one site. */
class Visitor {
  readonly #cookies = new Map<string, string>()
  csrfToken = ""

  constructor(
    readonly origin: string,
    readonly config: AuthConfig,
  ) {}

  keep(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  async send(path: string, fields?: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    const cookie = [...this.#cookies].map((pair) => pair.join("=")).join("; ")
    const body = fields && new URLSearchParams({ csrfToken: this.csrfToken, ...fields })
    const init = { headers: { ...headers, cookie }, ...(body && { method: "POST", body }) }
    const response = await Auth(new Request(this.origin + path, init), this.config)
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]*)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    return response
  }

  async open(): Promise<this> {
    this.csrfToken = (await (await this.send("/auth/csrf")).json()).csrfToken
    return this
  }
}

type Visit = (visitor: Visitor, more: { query: string; fields: Record<string, string> }) => Promise<Response[]>

/** Requests that lead to a redirect, with the callback URL in the query or in the body. */
const VISITS: Record<string, Visit> = {
  "the sign-in page": async (visitor, { query }) => [await visitor.send(`/auth/signin${query}`)],
  "a sign-in at a provider": async (visitor, { query, fields }) => {
    const start = await visitor.send(`/auth/signin/oauth${query}`, fields)
    const state = new URL(start.headers.get("location") ?? "").searchParams.get("state") ?? ""
    const back = await visitor.send(`/auth/callback/oauth?${new URLSearchParams({ code: "c", state })}`)
    expect(back.headers.getSetCookie().join()).toContain("session-token=ey")
    return [start, back]
  },
  "a sign-in that the provider refuses": async (visitor, { query, fields }) => {
    const start = await visitor.send(`/auth/signin/oauth${query}`, fields)
    const state = new URL(start.headers.get("location") ?? "").searchParams.get("state") ?? ""
    const answer = new URLSearchParams({ error: "access_denied", state })
    return [start, await visitor.send(`/auth/callback/oauth?${answer}`)]
  },
  "an unsolicited callback": async (visitor, { query }) => [
    await visitor.send(`/auth/callback/oauth${query || "?"}&code=c&state=s`),
  ],
  "a sign-in without a provider": async (visitor, { query, fields }) => [
    await visitor.send(`/auth/signin${query}`, fields),
  ],
  "a correct password": async (visitor, { query, fields }) => [
    await visitor.send(`/auth/callback/credentials${query}`, { ...fields, name: "ada" }),
  ],
  "a wrong password": async (visitor, { query, fields }) => [
    await visitor.send(`/auth/callback/credentials${query}`, { ...fields, name: "eve" }),
  ],
  "a sign-out": async (visitor, { query, fields }) => [await visitor.send(`/auth/signout${query}`, fields)],
  "the sign-out page": async (visitor, { query }) => [await visitor.send(`/auth/signout${query}`)],
  "the error page": async (visitor, { query }) => [await visitor.send(`/auth/error${query}`)],
}

const ORIGINS = ["https://app.test", "http://localhost:3000", "http://[::1]:8080"]

/** Returns the origin of a location. A relative location gets the origin of another site, so that the test fails. */
const originOf = (location: string) => new URL(location, "https://elsewhere.test").origin

/**
 * Expects that every redirect and every stored callback URL stays on this site, except the redirect to the provider.
 */
async function expectOwnOrigin(visit: Visit, visitor: Visitor, more: Parameters<Visit>[1]): Promise<void> {
  for (const response of await visit(visitor, more)) {
    expect(response.status).toBeLessThan(500)
    const storedUrl = response.headers.getSetCookie().find((line) => /callback-url=[^;]/.test(line))
    if (storedUrl) expect(originOf(decodeURIComponent(/=([^;]*)/.exec(storedUrl)?.[1] ?? ""))).toBe(visitor.origin)
    const location = response.headers.get("location")
    const isStart = location?.startsWith(`${PROVIDER}/authorize?`)
    if (location !== null && !isStart) expect(originOf(location)).toBe(visitor.origin)
  }
}

describe("RED-01: a callback URL of another site", () => {
  const anyPlace = fc.constantFrom("query", "body", "cookie")

  it.each(Object.keys(VISITS))("is not used by %s (property)", async (name) => {
    const visit = VISITS[name] as Visit
    await fc.assert(
      fc.asyncProperty(
        anyDestination,
        anyPlace,
        fc.constantFrom(...ORIGINS),
        fc.constantFrom(...CONFIGS),
        async (callbackUrl, place, origin, config) => {
          const visitor = await new Visitor(origin, config).open()
          const prefix = origin.startsWith("https:") ? "__Secure-" : ""
          if (place === "cookie") visitor.keep(`${prefix}authjs.callback-url`, encodeURIComponent(callbackUrl))
          const query = place === "query" ? `?${new URLSearchParams({ callbackUrl })}` : ""
          // An invalid URL in the query is rejected at once.
          const isRefused = place === "query" && (await visitor.send(`/auth/signin${query}`)).status === 400
          if (isRefused) return
          await expectOwnOrigin(visit, visitor, { query, fields: place === "body" ? { callbackUrl } : {} })
        },
      ),
    )
  })

  it("is not returned to clients that get JSON instead of a redirect (property)", async () => {
    await fc.assert(
      fc.asyncProperty(anyDestination, async (callbackUrl) => {
        const visitor = await new Visitor("https://app.test", CONFIGS[0] as AuthConfig).open()
        const json = { "x-auth-return-redirect": "1" }
        for (const path of ["/auth/signout", "/auth/callback/credentials"]) {
          const response = await visitor.send(path, { callbackUrl, name: "ada" }, json)
          expect(originOf((await response.json()).url)).toBe("https://app.test")
        }
      }),
    )
  })
})

/** Tokens that are bound to a key (DPoP, RFC 9449), at a real provider that requires DPoP with nonces. */
import { generateKeyPairSync } from "node:crypto"
import { getAuthorizedFetch } from "../../../lib/index.js"
import type { AuthorizedFetch } from "../../../lib/provider-access.js"
import { requireRuntime } from "../../../lib/runtime/runtime.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import {
  type AppRequest,
  describeServers,
  recordingLogger,
  SERVERS,
  type Start,
  TEST_SECRET,
} from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { type RealProvider, signInAtProvider, startRealProvider } from "../../support/real-provider.js"
import { createTerms, meet, requirementPages } from "../../support/requirements.js"
import { guardProcess } from "../support/guard.js"
import { memoryStore } from "../support/memory-adapter.js"
import { begin, sessionOf } from "../support/site.js"

guardProcess()

const HOUR_MS = 3_600_000

interface ApiRequest extends AppRequest {
  accessToken(provider: string): Promise<string>
  authorizedFetch(provider: string): AuthorizedFetch
}

const issueRefreshToken = async () => true
const dPoP = { enabled: true, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true }

let real: RealProvider
beforeAll(async () => {
  real = await startRealProvider({ features: { dPoP, revocation: { enabled: true } }, settings: { issueRefreshToken } })
})
afterAll(() => real.close())

let clients = 0

describeServers(
  "tokens that are bound to a key",
  (start: Start) => {
    async function open(config: Partial<AuthConfig> = {}, provider: object = {}, registered: object = {}) {
      const clientId = `client-${++clients}`
      const clientSecret = `secret of ${clientId}, which has more than 32 characters`
      const { logger, records } = recordingLogger()
      const time = { now: Date.now() }
      const memory = memoryStore()
      const options = { id: "oidc", clientId, clientSecret, dpop: true, apiOrigins: [real.issuer], ...provider }
      const complete: AuthConfig = {
        ...{ providers: [real.oidc(options)], secret: TEST_SECRET, logger, rateLimit: false },
        ...{ store: MemoryStore(), adapter: memory.adapter, clock: () => time.now },
        ...config,
      }
      const app = await start(complete, {
        routes: (application) => {
          application.use("/token", (req, res, next) => {
            ;(req as ApiRequest).accessToken("oidc").then((token) => res.end(token), next)
          })
          application.use("/api", (req, res, next) => {
            const call = (req as ApiRequest).authorizedFetch("oidc")(`${real.issuer}/me`)
            call.then(async (response) => res.end(`${response.status} ${await response.text()}`), next)
          })
          requirementPages().routes?.(application)
        },
      })
      const redirect_uris = [`${app.origin}${app.basePath}/callback/oidc`]
      const metadata = { client_secret: clientSecret, dpop_bound_access_tokens: true, ...registered }
      await real.addClient({ client_id: clientId, redirect_uris, ...metadata })
      return { app, browser: app.browser(), config: complete, memory, records, time }
    }

    async function signIn(browser: Browser) {
      const { location } = await begin(browser)
      return browser.get(await signInAtProvider(browser, location, "alice"))
    }

    const callApi = async (browser: Browser) => (await browser.get("/api")).text()
    const tokenRequests = () => real.requests.filter(({ path }) => path === "/token").length

    it.each([
      ["a confidential client", {}, {}],
      [
        "a public client",
        { clientSecret: undefined, client: { token_endpoint_auth_method: "none" } },
        { client_secret: undefined, token_endpoint_auth_method: "none" },
      ],
    ])(
      "are accepted at sign-in, by userinfo and by the API, and are renewed, for %s",
      async (_, provider, registered) => {
        const { browser, time, records } = await open({}, { idToken: false, ...provider }, registered)
        await signIn(browser)
        expect(records).toEqual([])
        expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
        expect(await callApi(browser)).toMatch(/^200 .*"alice"/)
        const before = tokenRequests()
        time.now += HOUR_MS
        expect(await callApi(browser)).toMatch(/^200 .*"alice"/)
        expect(tokenRequests()).toBeGreaterThan(before)
      },
    )

    it("are requested with a pushed request, renewed and revoked by a client with private_key_jwt", async () => {
      const jwk = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })
      const { d: _, ...publicJwk } = jwk
      const key = await crypto.subtle.importKey("jwk", jwk, { name: "ECDSA", namedCurve: "P-256" }, false, ["sign"])
      const client = { token_endpoint_auth_method: "private_key_jwt" }
      const provider = { client, token: { clientPrivateKey: key }, pushedAuthorizationRequests: true }
      const site = await open({}, provider, { ...client, jwks: { keys: [publicJwk] } })
      await signIn(site.browser)
      site.time.now += HOUR_MS
      expect(await callApi(site.browser)).toMatch(/^200 .*"alice"/)
      const [owner = ""] = site.memory.users.keys()
      real.requests.length = 0
      await requireRuntime(site.config).tokens?.remove(owner, { provider: "oidc", providerAccountId: "alice" })
      expect(real.requests.map(({ path }) => path)).toEqual(["/token/revocation"])
      expect(site.records).toEqual([])
    })

    it("are not returned as text, and the error names authorizedFetch", async () => {
      const { app, browser } = await open()
      await signIn(browser)
      expect((await browser.get("/token")).status).toBe(500)
      expect(String(app.errors.at(-1))).toContain('Write req.authorizedFetch("oidc")')
    })

    it("can be used in jobs with getAuthorizedFetch", async () => {
      const { browser, config, memory } = await open()
      await signIn(browser)
      const [owner = ""] = memory.users.keys()
      const call = getAuthorizedFetch(config, { owner, provider: "oidc" })
      expect(await (await call(`${real.issuer}/me`)).json()).toMatchObject({ sub: "alice" })
      await expect(call("https://evil.test/")).rejects.toThrow("apiOrigins")
    })

    it("are sent a second time, with the body, if the API requires a nonce", async () => {
      const { browser, config, memory } = await open()
      await signIn(browser)
      const [owner = ""] = memory.users.keys()
      const call = getAuthorizedFetch(config, { owner, provider: "oidc" })
      const init = { method: "POST", body: new URLSearchParams({ unused: "1" }) }
      expect(await (await call(`${real.issuer}/me`, init)).json()).toMatchObject({ sub: "alice" })
    })

    it("keep the key of a sign-in that waits for a requirement", async () => {
      const { app, browser } = await open({ requirements: [createTerms()] })
      expect((await signIn(browser)).location).toBe(`${app.origin}/terms`)
      await meet(browser)
      expect(await callApi(browser)).toMatch(/^200 .*"alice"/)
    })

    it.each<[string, Partial<AuthConfig>, object, string]>([
      ["without a store", { store: undefined }, {}, "store: is missing"],
      ["with keepTokens: false", {}, { keepTokens: false }, "providers[0].keepTokens: is false"],
      ["with a token request without a proof", {}, { token: { request: fetch } }, "providers[0].dpop: is true"],
    ])("are refused at start-up %s", async (_, config, provider, message) => {
      await expect(open(config, provider)).rejects.toThrow(message)
    })

    it("have a new key for each sign-in, which is in no callback, record, log entry or error", async () => {
      const received: unknown[] = []
      const generated = jest.spyOn(crypto.subtle, "exportKey")
      const record = <T>(params: T) => {
        received.push(params)
        return params
      }
      const { app, browser, memory, records } = await open({
        debug: true,
        callbacks: {
          signIn: (params) => Boolean(record(params)),
          jwt: (params) => record(params).token,
          session: (params) => record(params).session,
        },
        events: { signIn: (message) => void record(message), linkAccount: (message) => void record(message) },
      })
      await signIn(browser)
      await signIn(browser)
      const keys = await Promise.all(generated.mock.results.map(({ value }) => value as Promise<JsonWebKey>))
      generated.mockRestore()
      const secrets = keys.flatMap(({ d }) => d ?? [])
      expect(new Set(secrets).size).toBe(2)
      await browser.get("/token")
      const session = await (await browser.get("/me")).text()
      const everything = JSON.stringify([
        received,
        memory.accounts,
        memory.users,
        records,
        app.errors.map(String),
        session,
      ])
      expect(received.length).toBeGreaterThan(3)
      for (const secret of secrets) expect(everything).not.toContain(secret)
    })

    it("are refused if the provider ignores the proof", async () => {
      const ignoring = await startRealProvider({ features: { dPoP: { enabled: false } } })
      const listing = (metadata: object) => ({ ...metadata, dpop_signing_alg_values_supported: ["ES256"] })
      const provider = { issuer: ignoring.issuer, conformMetadata: listing }
      const { app, browser, records } = await open({}, provider)
      const redirect_uris = [`${app.origin}${app.basePath}/callback/oidc`]
      const client_secret = `secret of client-${clients}, which has more than 32 characters`
      await ignoring.addClient({ client_id: `client-${clients}`, client_secret, redirect_uris })
      await signIn(browser)
      expect(await sessionOf(browser)).toBeNull()
      const codes = records.flatMap(({ args }) => args.map((arg) => Reflect.get(Object(arg), "messageCode")))
      expect(codes).toContain("dpop-unsupported")
      await ignoring.close()
    })

    it("are not requested if the metadata does not list ES256", async () => {
      const withoutList = ({ dpop_signing_alg_values_supported: _, ...metadata }: Record<string, unknown>) => metadata
      const { browser, records } = await open({}, { conformMetadata: withoutList })
      const { location } = await begin(browser)
      expect(location).toContain("/auth/signin?error=")
      const codes = records.flatMap(({ args }) => args.map((arg) => Reflect.get(Object(arg), "messageCode")))
      expect(codes).toContain("dpop-unsupported")
    })
  },
  SERVERS,
)

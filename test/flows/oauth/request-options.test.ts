/** The options acrValues, claims and resource at a real provider, which checks the resources and issues JWTs for them. */
import { decodeJwt } from "jose"
import { MemoryStore } from "../../../lib/store/memory.js"
import { type AppRequest, describeServers, SERVERS, type Start, TEST_SECRET } from "../../support/apps.js"
import { type RealProvider, signInAtProvider, startRealProvider } from "../../support/real-provider.js"
import { guardProcess } from "../support/guard.js"
import { memoryStore } from "../support/memory-adapter.js"
import { begin } from "../support/site.js"

guardProcess()

const API = "https://api.test/v1"
const OTHER = "https://other.test/"
const HOUR_MS = 3_600_000
const resourceServer = { scope: "openid profile email", audience: API, accessTokenFormat: "jwt" }

let real: RealProvider
beforeAll(async () => {
  const resourceIndicators = {
    enabled: true,
    getResourceServerInfo: async () => resourceServer,
    useGrantedResource: async () => false,
  }
  real = await startRealProvider({
    features: { resourceIndicators, claimsParameter: { enabled: true } },
    settings: { acrValues: ["phr", "phrh"], issueRefreshToken: async () => true },
  })
})
afterAll(() => real.close())

let clients = 0

describeServers(
  "request options",
  (start: Start) => {
    async function open(provider: object) {
      const clientId = `client-${++clients}`
      const clientSecret = `secret of ${clientId}, which has more than 32 characters`
      const time = { now: Date.now() }
      const tokens: string[] = []
      const app = await start(
        {
          providers: [real.oidc({ id: "oidc", clientId, clientSecret, ...provider })],
          ...{ secret: TEST_SECRET, store: MemoryStore(), adapter: memoryStore().adapter, clock: () => time.now },
        },
        {
          routes: (application) =>
            void application.use("/token", (req, res, next) => {
              const request = req as AppRequest & { accessToken(provider: string): Promise<string> }
              request.accessToken("oidc").then((token) => res.end(String(tokens.push(token))), next)
            }),
        },
      )
      const redirect_uris = [`${app.origin}${app.basePath}/callback/oidc`]
      await real.addClient({ client_id: clientId, client_secret: clientSecret, redirect_uris })
      return { browser: app.browser(), time, tokens }
    }

    it.each([{}, { pushedAuthorizationRequests: true }])(
      "resource limits the tokens of sign-ins and renewals to an API, with %j",
      async (options) => {
        const { browser, time, tokens } = await open({ resource: API, ...options })
        const { location } = await begin(browser, { query: `?resource=${encodeURIComponent(OTHER)}` })
        await browser.get(await signInAtProvider(browser, location, "alice"))
        await browser.get("/token")
        time.now += HOUR_MS
        await browser.get("/token")
        expect(new Set(tokens).size).toBe(2)
        expect(tokens.map((token) => decodeJwt(token).aud)).toEqual([API, API])
      },
    )

    it("are parameters of the request", async () => {
      const claims = { id_token: { email: { essential: true } } }
      const { browser } = await open({ acrValues: ["phr", "phrh"], claims, resource: [API, OTHER] })
      const { searchParams } = new URL((await begin(browser)).location)
      expect(searchParams.get("acr_values")).toBe("phr phrh")
      expect(JSON.parse(searchParams.get("claims") ?? "")).toEqual(claims)
      expect(searchParams.getAll("resource")).toEqual([API, OTHER])
    })

    it.each<[string, unknown]>([
      ["acrValues", "phr"],
      ["acrValues", []],
      ["acrValues", ["phr phrh"]],
      ["claims", "email"],
      ["resource", "api"],
      ["resource", []],
      ["resource", [`${API}#part`]],
    ])("are rejected at start-up if %s is %j", async (name, value) => {
      await expect(open({ [name]: value })).rejects.toThrow(`providers[0].${name}: is ${JSON.stringify(value)}`)
    })
  },
  SERVERS,
)

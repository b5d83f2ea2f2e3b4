import { authMiddleware } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../support/apps.js"
import { type Claims, type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { begin, comeBack, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

describe("where tokens may travel", () => {
  const problemsOf = (overrides: Partial<AuthConfig>) => {
    const config = {
      secret: TEST_SECRET,
      logger: recordingLogger().logger,
      trustHost: true,
      providers: [],
      ...overrides,
    }
    try {
      authMiddleware(config)
      return ""
    } catch (error) {
      return String(error)
    }
  }

  describe.each(["production", "development"])("OID-46: in %s", (mode) => {
    const before = process.env["NODE_ENV"]
    beforeAll(() => {
      process.env["NODE_ENV"] = mode
    })
    afterAll(() => {
      process.env["NODE_ENV"] = before
    })

    it.each([
      ["issuer", { issuer: "http://op.test" }],
      ["issuer", { issuer: "http://127.0.0.1.evil.test" }],
      ["issuer", { issuer: "http://localhost.evil.test" }],
      ["issuer", { issuer: "http://10.0.0.1" }],
      ["issuer", { issuer: "http://0.0.0.0" }],
      ["issuer", { issuer: "http://localhost." }],
      ["issuer", { issuer: "http://[::ffff:127.0.0.1]" }],
      ["issuer", { issuer: "http://localhost@op.test" }],
      ["issuer", { issuer: "//op.test" }],
      ["token", { token: "http://op.test/token" }],
      ["userinfo", { userinfo: "http://op.test/userinfo" }],
      ["authorization", { authorization: "http://op.test/authorize" }],
      ["issuer", { issuer: "ftp://op.test" }],
      ["wellKnown", { wellKnown: "http://op.test/metadata" }],
    ])("does not start with a plain http %s: %j", (option, overrides) => {
      expect(problemsOf({ providers: [{ ...op.oidc({ issuer: "https://op.test" }), ...overrides }] })).toContain(
        `providers[0].${option}`,
      )
    })

    it.each(["http://localhost:4000", "http://127.0.0.1:4000", "http://[::1]:4000", "https://op.test"])(
      "starts with %s",
      (issuer) => expect(problemsOf({ providers: [op.oidc({ issuer })] })).toBe(""),
    )

    it("starts with another where the provider allows it", () =>
      expect(problemsOf({ providers: [op.oidc({ issuer: "http://op.test", allowInsecure: true })] })).toBe(""))
  })

  describeServers("OID-46: with metadata that name plain http", (start, stage) => {
    it.each(["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"])(
      "sends nobody and nothing to %s",
      async (name) => {
        const discovery = (document: Claims) => ({ ...document, [name]: "http://op.test/x" })
        const providers = [op.oidc({ idToken: name !== "userinfo_endpoint" })]
        const one = await startSite({ start, stage, op }, { mode: { discovery }, providers })
        const browser = one.app.browser()
        const begun = await begin(browser)
        const page =
          name === "authorization_endpoint" ? begun : await comeBack(browser, op, await op.authorize(begun.location))
        expect(page.location).toBe(`${one.app.origin}/auth/signin?error=OAuthCallbackError`)
        expect(one.failures()).toHaveLength(1)
        expect(one.logText()).toContain("http://op.test/x is not https")
      },
    )
  })
})

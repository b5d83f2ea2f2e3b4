import { authMiddleware } from "../../../lib/index.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Claims } from "../../support/faulty-provider.js"
import { guardProcess } from "../support/guard.js"
import { begin, openCallback, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

describe("endpoints with plain HTTP", () => {
  const configurationError = (overrides: Partial<AuthConfig>) => {
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
    ])("rejects an insecure %s: %j", (option, overrides) => {
      expect(
        configurationError({ providers: [{ ...op.oidc({ issuer: "https://op.test" }), ...overrides }] }),
      ).toContain(`providers[0].${option}`)
    })

    it.each(["http://localhost:4000", "http://127.0.0.1:4000", "http://[::1]:4000", "https://op.test"])(
      "accepts the issuer %s",
      (issuer) => expect(configurationError({ providers: [op.oidc({ issuer })] })).toBe(""),
    )

    it("accepts a plain HTTP issuer with allowInsecure: true", () =>
      expect(configurationError({ providers: [op.oidc({ issuer: "http://op.test", allowInsecure: true })] })).toBe(""))
  })

  describeServers("OID-46: metadata with plain HTTP endpoints", (start, stage) => {
    it.each(["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"])(
      "does not use an insecure %s",
      async (name) => {
        const discovery = (document: Claims) => ({ ...document, [name]: "http://op.test/x" })
        const providers = [op.oidc({ idToken: name !== "userinfo_endpoint" })]
        const site = await startSite({ start, stage, op }, { mode: { discovery }, providers })
        const browser = site.app.browser()
        const first = await begin(browser)
        const page =
          name === "authorization_endpoint"
            ? first
            : await openCallback(browser, op, await op.authorize(first.location))
        expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthCallbackError`)
        expect(site.failures()).toHaveLength(1)
        expect(site.logText()).toContain("http://op.test/x is not https")
      },
    )
  })
})

import { checkAddress, checkLimits } from "../../../../lib/cli/doctor/configuration.js"
import { sizeFinding } from "../../../../lib/cli/doctor/session-size.js"
import { checkConfig } from "../../../../lib/config/check.js"
import { resolveConfig } from "../../../../lib/config/resolve.js"
import Credentials from "../../../../lib/providers/credentials.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { sharedStore } from "../../../support/shared-store.js"

const levelsAndCodes = (findings: readonly { level: string; code: string }[]) =>
  findings.map(({ level, code }) => `${level} ${code}`)

const resolvedWith = (env: Record<string, string>, config: Partial<AuthConfig> = {}) =>
  resolveConfig({ providers: [], ...config }, env)

describe("checkAddress", () => {
  it.each([
    ["production", "https://example.com", ["ok auth-url-local"]],
    ["production", "http://example.com", ["error https-missing"]],
    ["production", "http://localhost:3000", ["error auth-url-local"]],
    ["production", "https://[::1]", ["error auth-url-local"]],
    ["production", "https://example.com/auth?x=1", ["warning option-invalid"]],
    ["production", "https://me:pass@example.com", ["warning option-invalid"]],
    ["", "http://localhost:3000", ["ok auth-url-local"]],
    ["", "https://example.com", ["warning node-env-unset"]],
  ])("with NODE_ENV=%s and AUTH_URL=%s reports %j", (NODE_ENV, AUTH_URL, expected) => {
    const env = { NODE_ENV, AUTH_URL }
    expect(levelsAndCodes(checkAddress({ env, resolved: resolvedWith(env) }))).toEqual(expected)
  })

  it("does not require AUTH_URL in production if trustHost lists the hosts", () => {
    const env = { NODE_ENV: "production" }
    const resolved = resolvedWith(env, { trustHost: ["example.com"] })
    expect(checkAddress({ env, resolved })).toMatchObject([
      { level: "ok", code: "any-host-trusted", cause: expect.stringContaining("example.com") },
    ])
    expect(checkAddress({ env: {}, resolved: resolvedWith({}) })).toEqual([])
  })

  it("does not need to warn that any host is trusted, because checkConfig warns", () => {
    const env = { NODE_ENV: "production", AUTH_TRUST_HOST: "true" }
    const { warnings } = checkConfig({ providers: [] }, resolvedWith(env))
    expect(warnings.map(({ code }) => code)).toContain("any-host-trusted")
  })
})

describe("checkLimits", () => {
  const password = Credentials({ credentials: {}, authorize: () => null })
  const checkWith = (config: Partial<AuthConfig>, env: Record<string, string> = {}) => {
    const resolved = resolvedWith(env, config)
    return levelsAndCodes(checkLimits({ env, resolved }))
  }

  it("reports the rate limit only if the configuration has a password provider", () => {
    expect(checkWith({})).toEqual([])
    expect(checkWith({ providers: [password] })).toEqual(["ok rate-limit-per-process"])
    expect(checkWith({ providers: [password], rateLimit: false })).toEqual(["warning rate-limit-off"])
  })

  it("warns that the limit counts per process if there are several processes and no store", () => {
    const env = { WEB_CONCURRENCY: "4" }
    expect(checkWith({ providers: [password] }, env)).toEqual(["warning rate-limit-per-process"])
    const { store } = sharedStore()
    expect(checkWith({ providers: [password], store }, env)).toEqual(["ok rate-limit-per-process"])
  })
})

describe("sizeFinding", () => {
  const claims = { name: "x", roles: "y".repeat(3000), picture: "z".repeat(100) }
  it.each([
    [4096, 1, "ok session-large"],
    [4097, 2, "warning session-large"],
    [8193, 3, "warning session-large"],
  ])("of %i bytes in %i cookies reports %s", (bytes, cookieCount, expected) =>
    expect(levelsAndCodes([sizeFinding("op", { bytes, cookieCount, claims })])).toEqual([expected]),
  )

  it("names the largest claims without their values", () => {
    const { seen } = sizeFinding("op", { bytes: 5000, cookieCount: 2, claims })
    expect(seen).toBe("5000 bytes in 2 cookies; largest claims in characters: roles 3002, picture 102, name 3")
  })
})

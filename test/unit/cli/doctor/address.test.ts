import { checkAddress } from "../../../../lib/cli/doctor/address.js"
import { checkLimits } from "../../../../lib/cli/doctor/limits.js"
import { sizeFinding } from "../../../../lib/cli/doctor/session-size.js"
import { checkConfig } from "../../../../lib/config/check.js"
import { resolveConfig } from "../../../../lib/config/resolve.js"
import Credentials from "../../../../lib/providers/credentials.js"
import type { AuthConfig } from "../../../../lib/types.js"

const told = (findings: readonly { level: string; code: string }[]) =>
  findings.map(({ level, code }) => `${level} ${code}`)

const resolvedWith = (env: Record<string, string>, config: Partial<AuthConfig> = {}) =>
  resolveConfig({ providers: [], ...config }, env)

describe("AUTH_URL", () => {
  it.each([
    ["production", "https://example.com", ["ok auth-url-local"]],
    ["production", "http://example.com", ["error https-missing"]],
    ["production", "http://localhost:3000", ["error auth-url-local"]],
    ["production", "https://[::1]", ["error auth-url-local"]],
    ["production", "https://example.com/auth?x=1", ["warning auth-url-extras"]],
    ["production", "https://me:pass@example.com", ["warning auth-url-extras"]],
    ["", "http://localhost:3000", ["ok auth-url-local"]],
    ["", "https://example.com", ["warning node-env-unset"]],
  ])("with NODE_ENV=%s and %s: %j", (NODE_ENV, AUTH_URL, expected) => {
    const env = { NODE_ENV, AUTH_URL }
    expect(told(checkAddress({ env, resolved: resolvedWith(env) }))).toEqual(expected)
  })

  it("is not needed in production where the hosts are listed", () => {
    const env = { NODE_ENV: "production" }
    const resolved = resolvedWith(env, { trustHost: ["example.com"] })
    expect(checkAddress({ env, resolved })).toMatchObject([
      { level: "ok", code: "any-host-trusted", cause: expect.stringContaining("example.com") },
    ])
    expect(checkAddress({ env: {}, resolved: resolvedWith({}) })).toEqual([])
  })

  it("is missed by the configuration's own check where any host is trusted", () => {
    const env = { NODE_ENV: "production", AUTH_TRUST_HOST: "true" }
    const { warnings } = checkConfig({ providers: [] }, resolvedWith(env))
    expect(warnings.map(({ code }) => code)).toContain("any-host-trusted")
  })
})

describe("limits on attempts", () => {
  const password = Credentials({ credentials: {}, authorize: () => null })
  const look = (config: Partial<AuthConfig>, env: Record<string, string> = {}) => {
    const resolved = resolvedWith(env, config)
    return told(checkLimits({ env, resolved, providers: resolved.providers }))
  }

  it("are looked at where passwords or addresses are typed", () => {
    expect(look({})).toEqual([])
    expect(look({ providers: [password] })).toEqual(["ok rate-limit-per-process"])
    expect(look({ providers: [password], rateLimit: false })).toEqual(["warning rate-limit-off"])
  })

  it("count for one process alone, unless they are shared", () => {
    const env = { WEB_CONCURRENCY: "4" }
    expect(look({ providers: [password] }, env)).toEqual(["warning rate-limit-per-process"])
    const limiter = { consume: async () => {} }
    expect(look({ providers: [password], rateLimit: { limiter } }, env)).toEqual(["ok rate-limit-off"])
  })
})

describe("a session's size", () => {
  const claims = { name: "x", roles: "y".repeat(3000), picture: "z".repeat(100) }
  it.each([
    [4096, 1, "ok session-large"],
    [4097, 2, "warning session-large"],
    [8193, 3, "warning session-large"],
  ])("of %i bytes in %i: %s", (bytes, parts, expected) =>
    expect(told([sizeFinding("op", { bytes, parts, claims })])).toEqual([expected]),
  )

  it("names the largest claims, and not what is in them", () => {
    const { seen } = sizeFinding("op", { bytes: 5000, parts: 2, claims })
    expect(seen).toBe("5000 bytes in 2 cookies; largest claims in characters: roles 3002, picture 102, name 3")
  })
})

import { configText } from "../../../lib/config/config-text.js"
import { resolveConfig } from "../../../lib/config/resolve.js"
import GitHub from "../../../lib/providers/github.js"
import { raw, skipCSRFCheck } from "../../../lib/symbols.js"
import type { AuthConfig } from "../../../lib/types.js"

const resolve = (over: object = {}, env: Record<string, string> = {}) =>
  resolveConfig({ providers: [], ...over } as AuthConfig, env)

it("resolveConfig applies the Auth.js defaults to missing options", () => {
  expect(resolve()).toMatchObject({
    providers: [],
    secrets: [],
    session: { strategy: "jwt", maxAge: 2_592_000, updateAge: 86_400 },
    jwt: { maxAge: 2_592_000 },
    pages: {},
    callbacks: {},
    events: {},
    debug: false,
    basePath: undefined,
    trustHost: true,
    skipsCsrfCheck: false,
    isRaw: false,
    rateLimit: {},
  })
})

it.each<[string, object, number]>([
  ["a day", { session: { maxAge: 60 * 86_400 } }, 86_400],
  ["a thirtieth of a short maxAge", { session: { maxAge: 3_600 } }, 120],
  ["a thirtieth of a shorter jwt.maxAge", { jwt: { maxAge: 3_600 } }, 120],
  [
    "a day, for database sessions with a short jwt.maxAge",
    { session: { strategy: "database" }, jwt: { maxAge: 60 } },
    86_400,
  ],
  ["its own value, even if it exceeds maxAge", { session: { maxAge: 3_600, updateAge: 7_200 } }, 7_200],
  ["a day, if maxAge is not a number", { session: { maxAge: "30d" } }, 86_400],
  ["a day, if maxAge is negative", { session: { maxAge: -3_600 } }, 86_400],
  ["a second, if maxAge is a second", { session: { maxAge: 1 } }, 1],
])("resolveConfig sets updateAge to %s", (_, over, updateAge) => {
  expect(resolve(over).session.updateAge).toBe(updateAge)
})

it("resolveConfig treats undefined options as missing at every level", () => {
  const all =
    "session jwt pages callbacks events theme cookies secret basePath prefix adapter debug rateLimit clock".split(" ")
  const undefinedOptions = Object.fromEntries(all.map((name) => [name, undefined]))
  const { clock, ...rest } = resolve(undefinedOptions)
  const { clock: expectedClock, ...expected } = resolve()
  expect([rest, clock]).toEqual([expected, expectedClock])
  const inner = {
    session: { maxAge: undefined, updateAge: undefined, strategy: undefined },
    jwt: { maxAge: undefined, secret: undefined },
  }
  expect(resolve(inner).session).toEqual(resolve().session)
  expect(resolve({ callbacks: { redirect: undefined } }).callbacks).toEqual({})
  expect(resolve({ ...inner, secret: "s" }).jwt).toEqual({ maxAge: 2_592_000, secrets: ["s"] })
})

it.each([
  [{ secret: "own" }, ["own"]],
  [{ secret: ["new", "old"] }, ["new", "old"]],
  [{ secret: ["", "own"] }, ["own"]],
  [{ secret: [] }, ["2", "0"]],
  [{}, ["2", "0"]],
])(
  "resolveConfig of %j has the secrets %j: those of the environment apply only if the option is empty",
  (over, expected) => {
    expect(resolve(over, { AUTH_SECRET: "0", AUTH_SECRET_2: "2" }).secrets).toEqual(expected)
  },
)

it("resolveConfig uses jwt.secret for sessions, and secret if it is missing", () => {
  expect(resolve({ secret: "s", jwt: { secret: "j" } }).jwt.secrets).toEqual(["j"])
  expect(resolve({ secret: ["s", "t"] }).jwt.secrets).toEqual(["s", "t"])
})

it.each([
  [{}, "jwt"],
  [{ adapter: {} }, "database"],
  [{ adapter: {}, session: { strategy: "jwt" } }, "jwt"],
  [{ adapter: {}, session: {} }, "database"],
  [{ adapter: {}, session: { strategy: undefined } }, "database"],
])("resolveConfig of %j selects %s sessions", (over, strategy) => {
  expect(resolve(over).session.strategy).toBe(strategy)
})

it.each([
  [{ basePath: "/a", prefix: "/a" }, {}, "/a"],
  [{ basePath: "/a/" }, {}, "/a"],
  [{ basePath: "a" }, {}, "/a"],
  [{ basePath: "/" }, {}, ""],
  [{ prefix: "/b" }, { AUTH_URL: "https://x.test/c" }, "/b"],
  [{}, { AUTH_URL: "https://x.test/c/" }, "/c"],
  [{}, { AUTH_URL: "https://x.test/" }, undefined],
  [{}, {}, undefined],
])("resolveConfig of %j with %j sets basePath to %j", (over, env, expected) => {
  expect(resolve(over, env as Record<string, string>).basePath).toBe(expected)
})

it("resolveConfig uses session.maxAge as jwt.maxAge unless that is set", () => {
  expect(resolve({ session: { maxAge: 60 } }).jwt.maxAge).toBe(60)
  expect(resolve({ session: { maxAge: 60 }, jwt: { maxAge: 30 } }).jwt.maxAge).toBe(30)
})

it("resolveConfig recognises raw and skipCSRFCheck by identity", () => {
  expect(resolve({ raw, skipCSRFCheck })).toMatchObject({ isRaw: true, skipsCsrfCheck: true })
  expect(resolve({ raw: true, skipCSRFCheck: Symbol("skip-csrf-check") })).toMatchObject({
    isRaw: false,
    skipsCsrfCheck: false,
  })
})

it("resolveConfig takes the canonical origin from AUTH_URL", () => {
  expect(resolve({}, { AUTH_URL: "https://x.test:8443/auth" }).canonicalOrigin).toBe("https://x.test:8443")
})

it("resolveConfig does not modify, freeze or share the given configuration", () => {
  const config: AuthConfig = { providers: [], secret: ["s"], session: { maxAge: 1 }, pages: { signIn: "/x" } }
  const before = structuredClone(config)
  const resolved = resolve(config)
  expect(config).toEqual(before)
  expect([
    resolved.secrets === config.secret,
    resolved.session === config.session,
    resolved.pages === config.pages,
  ]).toEqual([false, false, false])
  expect([config.secret, config.session, config.pages].some(Object.isFrozen)).toBe(false)
})

it("configText names each provider by the id that the application sets", () => {
  const config = resolve({ providers: [GitHub, GitHub({ id: "staff" })] })
  expect(configText(config)).toContain("providers github (oauth), staff (oauth); ")
})

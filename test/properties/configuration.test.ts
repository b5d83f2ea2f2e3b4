import { createRuntime } from "../../lib/runtime/runtime.js"
import type { AuthConfig } from "../../lib/types.js"
import { deepFreeze } from "../flows/support/guard.js"
import { TEST_SECRET } from "../support/apps.js"
import { fc } from "../support/properties.js"

const noop = async () => {}

/** A value of the option, or occasionally undefined. */
const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 5 })

const partialRecord = <T>(shape: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) =>
  option(fc.record(shape, { requiredKeys: [] }))

const seconds = option(fc.integer({ min: 1, max: 10_000_000 }))
const params = fc.dictionary(fc.string(), option(fc.jsonValue()), { maxKeys: 3 })
const path = fc.constantFrom("/login", "https://app.test/login", "/", "x")

const endpoint = (address: string) =>
  fc.oneof(
    fc.constantFrom(address, `${address}?a=1`),
    fc.constant(address).map((url) => new URL(url)),
    fc.record({ url: fc.constant(address), params }, { requiredKeys: ["url"] }),
  )

const oauthOptions = fc.record(
  {
    clientId: fc.string({ minLength: 1 }),
    clientSecret: fc.string({ minLength: 1 }),
    authorization: endpoint("https://other.test/authorize"),
    checks: fc.subarray(["pkce", "state"]),
    client: params,
    style: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
  },
  { requiredKeys: [] },
)

const oauth = fc.record({
  ...{ id: fc.constantFrom("one", "two"), name: fc.string(), type: fc.constantFrom("oauth", "oidc") },
  ...{ clientId: option(fc.string()), clientSecret: option(fc.string()), issuer: fc.constant("https://op.test") },
  authorization: endpoint("https://op.test/authorize"),
  token: endpoint("https://op.test/token"),
  userinfo: endpoint("https://op.test/userinfo"),
  options: option(oauthOptions),
  profile: fc.constant(noop),
})

const credentials = fc.record({
  ...{ id: fc.constant("credentials"), name: fc.string(), type: fc.constant("credentials") },
  credentials: fc.dictionary(fc.string(), fc.record({ label: fc.string(), type: fc.string() }), { maxKeys: 3 }),
  authorize: fc.constant(noop),
  options: fc.constantFrom(undefined, {}, { name: "Mine" }),
})

const cookie = partialRecord({
  name: fc.constantFrom("sid", "__Secure-x", "__Host-x", "a b"),
  options: partialRecord({
    sameSite: fc.constantFrom("lax", "none", true),
    maxAge: seconds,
    domain: option(fc.string()),
  }),
})

/** A configuration with valid and invalid values. */
const anyConfig = fc.record(
  {
    providers: fc.array(fc.oneof(oauth, credentials), { maxLength: 3 }),
    secret: option(fc.oneof(fc.constant(TEST_SECRET), fc.string(), fc.array(fc.string(), { maxLength: 3 }))),
    session: partialRecord({
      strategy: option(fc.constantFrom("jwt", "database")),
      maxAge: seconds,
      updateAge: seconds,
    }),
    jwt: partialRecord({ secret: option(fc.string()), maxAge: seconds }),
    pages: partialRecord({ signIn: path, signOut: path, error: path, verifyRequest: path, newUser: path }),
    callbacks: partialRecord({ signIn: fc.constant(() => true), jwt: option(fc.constant(noop)) }),
    events: partialRecord({ signIn: fc.constant(noop) }),
    theme: partialRecord({ colorScheme: fc.constantFrom("auto", "dark"), brandColor: fc.string(), logo: path }),
    cookies: partialRecord({ sessionToken: cookie, state: cookie, csrfToken: cookie }),
    debug: option(fc.boolean()),
    logger: fc.constant({ error() {}, warn() {}, debug() {} }),
    useSecureCookies: option(fc.boolean()),
    trustHost: option(fc.boolean()),
    basePath: option(fc.constantFrom("/auth", "auth/", "/", "")),
    rateLimit: option(fc.oneof(fc.constant(false), fc.record({ attempts: seconds, windowSeconds: seconds }))),
    redirectProxyUrl: option(path),
    redirectProxyOrigins: option(fc.array(fc.constantFrom("https://*.app.test", "https://app.test"))),
    experimental: partialRecord({ enableWebAuthn: fc.boolean() }),
  },
  { requiredKeys: ["providers", "logger"] },
)

const anyEnv = fc.dictionary(
  fc.constantFrom("AUTH_SECRET", "AUTH_URL", "AUTH_ONE_ID", "AUTH_ONE_SECRET", "AUTH_TRUST_HOST", "NODE_ENV"),
  fc.constantFrom("https://app.test/auth", "true", "production", TEST_SECRET),
)

// The configuration can contain values that the types forbid.
const buildRuntime = (config: unknown, env: object) =>
  createRuntime(config as AuthConfig, env as Record<string, string>)

describe("createRuntime", () => {
  it("ADV-21: does not change the configuration or the environment, frozen or not (property)", () => {
    fc.assert(
      fc.property(fc.clone(anyConfig, 3), fc.clone(anyEnv, 2), ([frozen, loose, before], [env, envBefore]) => {
        deepFreeze(frozen)
        deepFreeze(env)
        buildRuntime(frozen, env)
        buildRuntime(loose, env)
        expect([frozen, env]).toStrictEqual([before, envBefore])
        expect(loose).toStrictEqual(before)
      }),
    )
  })

  it("does not freeze the configuration (property)", () => {
    fc.assert(
      fc.property(anyConfig, (config) => {
        buildRuntime(config, {})
        const parts = [config, config.providers, ...config.providers, config.session, config.pages, config.cookies]
        expect(parts.filter((part) => part !== undefined && Object.isFrozen(part))).toEqual([])
      }),
    )
  })

  it("reports problems instead of throwing for any value of an option (property)", () => {
    const names = "secret session jwt pages callbacks events theme cookies basePath prefix trustHost".split(" ")
    const more = "rateLimit experimental providers views redirectProxyUrl redirectProxyOrigins adapter clock".split(" ")
    const anyValue = fc.oneof(fc.jsonValue(), fc.constantFrom(noop, new Date(0), /x/, new URL("https://app.test")))
    const anyName = fc.constantFrom(...names, ...more)
    fc.assert(
      fc.property(anyConfig, anyName, anyValue, (config, name, value) => {
        const { problems } = buildRuntime({ ...config, [name]: value }, {})
        expect(Array.isArray(problems)).toBe(true)
      }),
    )
  })
})

import { nearestName } from "../../../lib/config/nearest-name.js"
import { ConfigurationError, describeProblem } from "../../../lib/errors/errors.js"
import Credentials from "../../../lib/providers/credentials.js"
import GitHub from "../../../lib/providers/github.js"
import Google from "../../../lib/providers/google.js"
import Mastodon from "../../../lib/providers/mastodon.js"
import OIDC from "../../../lib/providers/oidc.js"
import Passage from "../../../lib/providers/passage.js"
import Resend from "../../../lib/providers/resend.js"
import { createRuntime, requireRuntime, runtimeFor } from "../../../lib/runtime/runtime.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import { skipCSRFCheck } from "../../../lib/symbols.js"
import type { AuthConfig } from "../../../lib/types.js"
import { recordingLogger } from "../../support/recording-logger.js"
import { folderWith } from "../pages/samples.js"

const SECRET = "a secret for tests alone, of forty-eight letters"
const PRODUCTION = { NODE_ENV: "production", AUTH_URL: "https://app.test" }
const form = Credentials({ authorize: () => null })
const client = { clientId: "id", clientSecret: "secret" }

/** Returns the problems and warnings of a valid configuration with `over` applied. */
function check(over: object, env: Record<string, string> = {}) {
  const log = recordingLogger()
  const config = { providers: [form], secret: SECRET, logger: log.logger, ...over } as AuthConfig
  const { problems } = createRuntime(config, { NODE_ENV: "test", ...env })
  return { problems, warnings: log.records.map(({ code }) => code), log }
}

const email = { id: "mail", name: "Mail", type: "email", sendVerificationRequest: () => {} }

const full = Object.fromEntries(
  "createUser getUser getUserByEmail getUserByAccount updateUser linkAccount createSession getSessionAndUser updateSession deleteSession"
    .split(" ")
    .map((name) => [name, async () => null]),
)

const linkStore = { ...full, createVerificationToken: async () => null, useVerificationToken: async () => null }

describe("createRuntime", () => {
  it("finds no problem in a valid configuration", () => {
    expect(check({})).toMatchObject({ problems: [], warnings: [] })
    const everything = {
      ...{ basePath: "/x", trustHost: true, session: { strategy: "jwt", maxAge: 60, updateAge: 0 }, rateLimit: false },
      ...{ theme: { brandColor: "#123", buttonText: "rgb(1 2 3)" }, pages: { signIn: "/in" }, adapter: full },
      ...{ providers: [form, GitHub(client), Google(client)], redirectProxyUrl: "https://auth.test/auth" },
      redirectProxySecret: "a secret of the proxy, of forty-eight letters, too",
      redirectProxyOrigins: ["https://*.preview.test"],
    }
    expect(check(everything)).toMatchObject({ problems: [], warnings: [] })
  })

  it.each([
    ["missing", undefined, "is missing"],
    ["empty", "", 'is ""'],
    ["a number", 5, "is 5"],
    ["null", null, "is missing"],
    ["a large number", 5n, "is a bigint"],
    ["a symbol", Symbol("x"), "is a symbol"],
    ["an object", {}, "is an object"],
  ])("reports a provider whose id is %s", (_, id, seen) => {
    const provider = { id, type: "oidc", issuer: "https://id.test", ...client }
    expect(check({ providers: [provider] }).problems).toMatchObject([
      {
        code: "option-invalid",
        path: "providers[0].id",
        seen: expect.stringContaining(seen),
        fix: expect.stringMatching(/^Write /),
      },
    ])
  })

  it.each([
    ["null", null, "is missing"],
    ["a number", 5, "is 5"],
  ])("reports a factory's id option that is %s", (_, id, seen) => {
    // The types forbid it, but JavaScript allows it.
    const own = { ...client, id } as never
    for (const provider of [GitHub(own), Mastodon(own), OIDC(own)])
      expect(check({ providers: [provider] }).problems).toMatchObject([
        {
          code: "option-invalid",
          path: "providers[0].id",
          seen: expect.stringContaining(seen),
          fix: expect.stringMatching(/^Write /),
        },
      ])
  })

  it.each([
    ["an entry that is not a provider", ["github"]],
    ["a factory that fails", [() => JSON.parse("{")]],
  ])("reports %s without the warning about an empty list", (_, providers) => {
    expect(check({ providers })).toMatchObject({ problems: [{}], warnings: [] })
  })

  describe("with providers that keep tokens and a store in memory", () => {
    const config = { providers: [form, GitHub(client)], store: MemoryStore() }

    it("warns in production that a restart deletes the tokens", () => {
      const { warnings, problems, log } = check(config, PRODUCTION)
      expect({ warnings, problems }).toEqual({ warnings: ["store-not-durable"], problems: [] })
      expect(log.text()).toContain("Use SqlStore or RedisStore")
    })

    it.each<[string, object, Record<string, string>]>([
      ["in development", {}, { NODE_ENV: "development" }],
      ["with keepTokens: false", { providers: [GitHub({ ...client, keepTokens: false }), form] }, PRODUCTION],
      ["with a durable store", { store: { ...MemoryStore(), durable: true } }, PRODUCTION],
      ["without a store", { store: undefined }, PRODUCTION],
    ])("does not warn %s", (_, over, env) => {
      expect(check({ ...config, ...over }, env)).toMatchObject({ warnings: [], problems: [] })
    })
  })

  it.each(["signIn", "redirect", "jwt", "session"])("reports callbacks.%s that is not a function", (name) => {
    expect(check({ callbacks: { [name]: true } }).problems).toMatchObject([
      {
        code: "option-invalid",
        path: `callbacks.${name}`,
        seen: "is a boolean",
        fix: expect.stringMatching(/^Write /),
      },
    ])
  })

  it("reports an event handler that is not a function", () => {
    expect(check({ events: { signIn: "log" } }).problems).toMatchObject([
      { code: "option-invalid", path: "events.signIn", seen: "is a string", fix: expect.stringMatching(/^Write /) },
    ])
  })

  it.each([
    ["session", "generateSessionToken"],
    ["jwt", "encode"],
    ["jwt", "decode"],
    ["rateLimit", "account"],
  ])("reports %s.%s that is not a function", (option, name) => {
    expect(check({ [option]: { [name]: "x" } }).problems).toMatchObject([
      {
        code: "option-invalid",
        path: `${option}.${name}`,
        seen: "is a string",
        fix: "Write a function, or leave it out",
      },
    ])
  })

  it.each([
    ["callbacks", () => ({}), "is a function. Write an object: { callbacks: { signIn: … } }"],
    ["callbacks", true, "is a boolean. Write an object: "],
    ["events", [() => {}], "is a list. Write an object: "],
    ["session", "database", "is a string. Write an object: { session: { strategy: … } }"],
    ["jwt", 60, "is a number. Write an object: "],
    ["pages", "/login", "is a string. Write an object: "],
    ["theme", "dark", "is a string. Write an object: "],
    ["cookies", "secure", "is a string. Write an object: "],
    ["experimental", true, "is a boolean. Write an object: { experimental: { enableWebAuthn: … } }"],
    ["rateLimit", 5, "is a number. Write an object: "],
  ])("reports %s that is not an object: %p", (option, value, text) => {
    const { problems } = check({ [option]: value })
    expect(problems).toMatchObject([{ code: "option-invalid", path: option }])
    expect(problems.map(describeProblem)).toEqual([expect.stringContaining(text)])
  })

  it.each([{ events: false }, { callbacks: null }, { pages: undefined }, { rateLimit: true }])(
    "accepts a value that a conditional expression can yield: %j",
    (over) => {
      expect(check(over)).toMatchObject({ problems: [], warnings: [] })
    },
  )

  it("reports a catalogue that cannot be read", () => {
    const views = folderWith({ "locales/sv.json": '{"signin.or":1}' })
    expect(check({ views }).problems).toMatchObject([
      {
        type: "ConfigurationError",
        path: "views",
        seen: `has the catalogue ${views}/locales/sv.json, which has the key "signin.or", whose value is not a string`,
      },
    ])
  })

  it.each([
    ["no secret", { secret: undefined }, "MissingSecret", "secret", "AUTH_SECRET"],
    ["an empty secret", { secret: "" }, "MissingSecret", "secret", "AUTH_SECRET"],
    [
      "a list with an unset secret",
      { secret: [undefined, SECRET] },
      "MissingSecret",
      "secret[0]",
      "the one that encrypts",
    ],
    ["a list with null", { jwt: { secret: [null, SECRET] } }, "MissingSecret", "jwt.secret[0]", "is null"],
    [
      "no authorize",
      { providers: [{ ...form, authorize: undefined, options: {} }] },
      "MissingAuthorize",
      "providers[0].authorize",
      "authorize",
    ],
    [
      "email without an adapter",
      { providers: [form, email] },
      "MissingAdapter",
      "adapter",
      'is missing, but providers[1] stores sign-in links in it. Write { adapter: SqlAdapter({ sqlite: "auth.db" }) }',
    ],
    [
      "email with an adapter that can't store links",
      { providers: [email], adapter: full },
      "MissingAdapterMethods",
      "adapter",
      "createVerificationToken, useVerificationToken",
    ],
    [
      "email without sendVerificationRequest",
      { providers: [{ ...email, sendVerificationRequest: undefined }], adapter: linkStore },
      "ConfigurationError",
      "providers[0].sendVerificationRequest",
      "latchkey/providers",
    ],
    [
      "email without a sender address",
      { providers: [Resend({ apiKey: "key" })], adapter: linkStore },
      "ConfigurationError",
      "providers[0].from",
      "AUTH_RESEND_FROM",
    ],
    [
      "links with a lifetime of 0",
      { providers: [{ ...email, maxAge: 0 }], adapter: linkStore },
      "ConfigurationError",
      "providers[0].maxAge",
      "is 0. Write seconds above 0",
    ],
    [
      "no client id",
      { providers: [form, GitHub({ clientSecret: "s" })] },
      "ConfigurationError",
      "providers[1].clientId",
      "AUTH_GITHUB_ID",
    ],
    [
      "no client secret",
      { providers: [GitHub({ clientId: "i" })] },
      "ConfigurationError",
      "providers[0].clientSecret",
      "AUTH_GITHUB_SECRET",
    ],
    [
      "no issuer",
      { providers: [{ id: "op", name: "OP", type: "oidc", ...client }] },
      "InvalidEndpoints",
      "providers[0].issuer",
      "AUTH_OP_ISSUER",
    ],
    [
      "no endpoints",
      { providers: [{ id: "op", name: "OP", type: "oauth", ...client }] },
      "InvalidEndpoints",
      "providers[0].authorization",
      "authorization",
    ],
    [
      "no token endpoint",
      { providers: [{ id: "op", name: "OP", type: "oauth", authorization: "https://a.test", ...client }] },
      "InvalidEndpoints",
      "providers[0].token",
      "token",
    ],
    [
      "no userinfo endpoint",
      {
        providers: [
          { id: "op", name: "OP", type: "oauth", authorization: "https://a.test", token: "https://a.test", ...client },
        ],
      },
      "InvalidEndpoints",
      "providers[0].userinfo",
      "userinfo",
    ],
    [
      "a userinfo object without url",
      {
        providers: [
          {
            id: "op",
            name: "OP",
            type: "oauth",
            authorization: "https://a.test",
            token: "https://a.test",
            userinfo: {},
            ...client,
          },
        ],
      },
      "InvalidEndpoints",
      "providers[0].userinfo",
      "userinfo",
    ],
    [
      "a plain http issuer",
      { providers: [{ id: "op", name: "OP", type: "oidc", issuer: "http://op.test", ...client }] },
      "ConfigurationError",
      "providers[0].issuer",
      "allowInsecure",
    ],
    [
      "an unknown check",
      { providers: [GitHub({ ...client, checks: ["pcke"] as never })] },
      "ConfigurationError",
      "providers[0].checks",
      '"pkce"',
    ],
    [
      "the same provider twice",
      { providers: [GitHub(client), form, GitHub(client)] },
      "ConfigurationError",
      "providers[2].id",
      "github-2",
    ],
    [
      "the same provider object twice",
      { providers: [form, form] },
      "ConfigurationError",
      "providers[1].id",
      'is "credentials", which is also providers[0].id. Remove one of them, or change its id: { id: "credentials-2" }',
    ],
    [
      "an id that can't be part of a path",
      { providers: [{ ...form, id: "a/b" }] },
      "ConfigurationError",
      "providers[0].id",
      "a/b",
    ],
    [
      "a provider of an unknown type",
      { providers: [{ id: "x", name: "X", type: "saml" }] },
      "ConfigurationError",
      "providers[0]",
      "saml",
    ],
    ["providers that are not a list", { providers: GitHub(client) }, "ConfigurationError", "providers", "[GitHub]"],
    ["a misspelt option", { calbacks: {} }, "ConfigurationError", "calbacks", "Did you mean `callbacks`?"],
    [
      "a misspelt callback",
      { callbacks: { sigIn: () => true } },
      "ConfigurationError",
      "callbacks.sigIn",
      "Did you mean `signIn`?",
    ],
    [
      "a misspelt session option",
      { session: { maxage: 60 } },
      "ConfigurationError",
      "session.maxage",
      "Did you mean `maxAge`?",
    ],
    ["a misspelt page", { pages: { signin: "/x" } }, "ConfigurationError", "pages.signin", "Did you mean `signIn`?"],
    [
      "credentials alone with database sessions",
      { session: { strategy: "database" } },
      "UnsupportedStrategy",
      "session.strategy",
      '"jwt"',
    ],
    [
      "database sessions without an adapter",
      { providers: [GitHub(client)], session: { strategy: "database" } },
      "MissingAdapter",
      "adapter",
      "adapter",
    ],
    [
      "an adapter that lacks methods",
      { adapter: { ...full, getUser: undefined, linkAccount: undefined } },
      "MissingAdapterMethods",
      "adapter",
      "getUser, linkAccount",
    ],
    [
      "database sessions with an adapter that has no session methods",
      { adapter: { ...full, createSession: undefined }, session: { strategy: "database" } },
      "MissingAdapterMethods",
      "adapter",
      "has no createSession. Implement it, or use another adapter",
    ],
    ["an unknown strategy", { session: { strategy: "cookie" } }, "ConfigurationError", "session.strategy", '"cookie"'],
    ["a lifetime that is not a number", { session: { maxAge: "30d" } }, "ConfigurationError", "session.maxAge", "30d"],
    [
      "an absolute timeout of 0",
      { session: { absoluteMaxAge: 0 } },
      "ConfigurationError",
      "session.absoluteMaxAge",
      "is 0. Write a number of seconds",
    ],
    [
      "an invalid session.remember",
      { session: { remember: "yes" } },
      "ConfigurationError",
      "session.remember",
      'is yes. Write true, false or "ask"',
    ],
    ["a negative lifetime", { session: { updateAge: -1 } }, "ConfigurationError", "session.updateAge", "-1"],
    ["a jwt.maxAge that is NaN", { jwt: { maxAge: Number.NaN } }, "ConfigurationError", "jwt.maxAge", "NaN"],
    ["an invalid colour", { theme: { brandColor: "red;}body{" } }, "ConfigurationError", "theme.brandColor", "colour"],
    [
      "a logo that is not a string",
      { theme: { logo: new URL("https://cdn.example.com/logo.svg") as unknown as string } },
      "ConfigurationError",
      "theme.logo",
      "is an object. Write a URL as a string",
    ],
    [
      "a site name with a line break",
      { theme: { siteName: "Acme\nBcc: eve" } },
      "ConfigurationError",
      "theme.siteName",
      "Write a name in one line",
    ],
    [
      "an unknown layout",
      { theme: { layout: "middle" as "form-first" } },
      "ConfigurationError",
      "theme.layout",
      'Write "form-first" or "providers-first"',
    ],
    [
      "a lastUsed that is not a boolean",
      { theme: { lastUsed: "no" as never } },
      "ConfigurationError",
      "theme.lastUsed",
      "true",
    ],
    [
      "a page that runs code",
      { pages: { signUp: "javascript:alert(1)" } },
      "ConfigurationError",
      "pages.signUp",
      "path",
    ],
    [
      "an invalid language tag",
      { theme: { locale: "de_DE" } },
      "ConfigurationError",
      "theme.locale",
      'is "de_DE", which is not a language tag. Write one of ar, de, en,',
    ],
    [
      "a language without a catalogue",
      { theme: { locales: ["de", "sv"] } },
      "ConfigurationError",
      "theme.locales",
      'is "sv", which has no catalogue. Write one of',
    ],
    ["no languages", { theme: { locales: [] } }, "ConfigurationError", "theme.locales", 'Write a list: ["en", "de"]'],
    [
      "locales that are not a list",
      { theme: { locales: "de" } },
      "ConfigurationError",
      "theme.locales",
      'is "de". Write a list',
    ],
    [
      "both locale and locales",
      { theme: { locale: "de", locales: ["de"] } },
      "ConfigurationError",
      "theme.locales",
      "is set together with theme.locale",
    ],
    ["a base path with a query", { basePath: "/auth?x" }, "ConfigurationError", "basePath", "/auth?x"],
    [
      "a proxy that is not a URL",
      { redirectProxyUrl: "auth.test" },
      "ConfigurationError",
      "redirectProxyUrl",
      "auth.test",
    ],
    ["a prefix that differs from basePath", { basePath: "/a", prefix: "/b" }, "ConfigurationError", "prefix", "/b"],
    [
      "a views folder that does not exist",
      { views: "/no/such/folder" },
      "ConfigurationError",
      "views",
      "/no/such/folder",
    ],
    [
      "an invalid cookie name",
      { cookies: { state: { name: "a b" } } },
      "ConfigurationError",
      "cookies.state.name",
      "a b",
    ],
    [
      "a misspelt cookie",
      { cookies: { sesionToken: {} } },
      "ConfigurationError",
      "cookies.sesionToken",
      "Did you mean `sessionToken`?",
    ],
    [
      "the logout option of an OAuth provider",
      { providers: [GitHub({ ...client, ...{ logout: true } })], store: MemoryStore() },
      "ConfigurationError",
      "providers[0].logout",
      "is true, but only OpenID Connect providers support it. Remove it",
    ],
    [
      "the logout option of another kind of provider",
      { providers: [{ ...form, logout: true }], store: MemoryStore() },
      "ConfigurationError",
      "providers[0].logout",
      "is true, but only OpenID Connect providers support it. Remove it",
    ],
    [
      "a logout that is neither a boolean nor a URL",
      { providers: [Google({ ...client, logout: 1 as never })], store: MemoryStore() },
      "ConfigurationError",
      "providers[0].logout",
      "is 1. Write true, or the URL of the provider's end_session_endpoint",
    ],
    [
      "a revocation that is not a URL",
      { providers: [GitHub({ ...client, revocation: "/revoke" })] },
      "ConfigurationError",
      "providers[0].revocation",
      'is "/revoke", which is not a URL',
    ],
    [
      "a logout that is not a URL",
      { providers: [Google({ ...client, logout: "yes" })], store: MemoryStore() },
      "ConfigurationError",
      "providers[0].logout",
      'is "yes", which is not a URL',
    ],
    [
      "a logout URL without encryption",
      { providers: [Google({ ...client, logout: "http://id.test/end" })], store: MemoryStore() },
      "ConfigurationError",
      "providers[0].logout",
      'is "http://id.test/end"',
    ],
    [
      "apiOrigins with a path",
      { providers: [Google({ ...client, apiOrigins: ["https://api.test/v1"] })] },
      "ConfigurationError",
      "providers[0].apiOrigins",
      'has "https://api.test/v1", which is not an origin. Write "https://api.test"',
    ],
    [
      "apiOrigins with a host",
      { providers: [Google({ ...client, apiOrigins: ["api.test"] })] },
      "ConfigurationError",
      "providers[0].apiOrigins",
      'has "api.test", which is not an origin. Write ["https://api.example.com"]',
    ],
    [
      "apiOrigins that are not a list",
      { providers: [Google({ ...client, apiOrigins: "https://api.test" as never })] },
      "ConfigurationError",
      "providers[0].apiOrigins",
      'is "https://api.test". Write ["https://api.example.com"]',
    ],
    [
      "apiOrigins without encryption",
      { providers: [Google({ ...client, apiOrigins: ["http://api.test"] })] },
      "ConfigurationError",
      "providers[0].apiOrigins",
      'has "http://api.test": tokens would be sent unencrypted',
    ],
    [
      "logout without a store",
      { providers: [form, Google({ ...client, logout: true })] },
      "ConfigurationError",
      "store",
      'is missing, but providers[1].logout needs it for the id_token of each session. Write { store: SqlStore({ sqlite: "auth.db" }) }',
    ],
    [
      "logout without session records",
      {
        ...{ providers: [Google({ ...client, logout: true })], store: MemoryStore() },
        session: { revocable: false },
      },
      "ConfigurationError",
      "session.revocable",
      "is false, but providers[0].logout needs the records of sessions. Remove session.revocable: false",
    ],
    [
      "a factory that throws",
      {
        providers: [
          () => {
            throw new Error("no server")
          },
        ],
      },
      "ConfigurationError",
      "providers",
      "no server",
    ],
  ])("reports %s", (_name, over, type, path, text) => {
    const { problems } = check(over)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ type, path })
    expect(problems.map(describeProblem)).toEqual([expect.stringContaining(text)])
  })

  it("reports an AUTH_URL that is not a URL", () => {
    expect(check({}, { AUTH_URL: "app.test" }).problems).toMatchObject([{ path: "AUTH_URL" }])
  })

  it.each([
    [
      "is missing while AUTH_URL is not set",
      {},
      { NODE_ENV: "production" },
      /^trustHost is not set, and neither is AUTH_URL.*Set AUTH_URL/,
    ],
    [
      "is false even though AUTH_URL is set",
      { trustHost: false },
      PRODUCTION,
      /^trustHost is false.*Remove it and set AUTH_URL/,
    ],
  ])("in production, reports a trustHost that %s", (_name, over, env, text) => {
    expect(check(over, env).problems.map(describeProblem)).toEqual([expect.stringMatching(text)])
  })

  it("reports a weak secret in production, and only warns elsewhere", () => {
    const weak = { secret: "secret" }
    expect(check(weak)).toMatchObject({ problems: [], warnings: ["secret-too-short"] })
    expect(check(weak, PRODUCTION).problems).toMatchObject([{ path: "secret" }])
    expect(check({ secret: [SECRET, "old"] }, PRODUCTION).problems).toMatchObject([{ path: "secret" }])
  })

  it.each([
    ["an unknown option", { telemetry: true }, "unknown-option"],
    ["no providers", { providers: [] }, "no-providers"],
    ["debug", { debug: true }, "debug-enabled"],
    ["no CSRF check", { skipCSRFCheck }, "csrf-disabled"],
    [
      "id_tokens without a signature",
      { providers: [Google({ ...client, verifyIdToken: false })] },
      "unverified-id-token",
    ],
    [
      "a provider whose service has closed down",
      { providers: [Passage({ ...client, issuer: "https://app.withpassage.com" })] },
      "provider-closed",
    ],
  ])("only warns about %s", (_name, over, code) => {
    const { problems, warnings } = check(over)
    expect([problems, warnings.filter((warning) => warning === code)]).toEqual([[], [code]])
  })

  it.each([
    ["session", "strategy maxAge updateAge absoluteMaxAge generateSessionToken"],
    ["jwt", "secret maxAge encode decode"],
    ["pages", "signIn signOut error verifyRequest newUser signUp forgotPassword"],
    ["callbacks", "signIn redirect session jwt"],
    ["events", "signIn signOut createUser updateUser linkAccount session"],
    ["theme", "colorScheme logo siteName brandColor buttonText locale locales layout lastUsed"],
    ["cookies", "sessionToken callbackUrl csrfToken pkceCodeVerifier state nonce webauthnChallenge"],
    ["experimental", "enableWebAuthn"],
    [
      "rateLimit",
      "attempts failuresPerClient failuresPerSite emailsPerAddress emailsPerMailbox emailsPerClient passkeySignUpsPerAddress passkeySignUpsPerClient windowSeconds account",
    ],
  ])("knows every option of %s", (group, names) => {
    // The values are undefined, because other tests check them.
    const known = Object.fromEntries(names.split(" ").map((name) => [name, undefined]))
    const { problems, warnings } = check({ [group]: known })
    expect([problems, warnings.filter((code) => code === "unknown-option")]).toEqual([[], []])
    const withUnknown = check({ [group]: { somethingElse: undefined } })
    expect([...withUnknown.problems, ...withUnknown.warnings]).not.toEqual([])
  })

  it("never includes a secret in a problem or a warning", () => {
    const { problems, log } = check({ secret: "S3CRET!", providers: [GitHub({ clientSecret: "S3CRET!" })] }, PRODUCTION)
    expect(JSON.stringify(problems) + log.text()).not.toContain("S3CRET!")
  })
})

describe("requireRuntime", () => {
  it("throws one ConfigurationError that lists all problems, the secret first", () => {
    const config = { providers: [GitHub({})], secret: [], sesion: {}, basePath: "/a b" } as AuthConfig
    let thrown: unknown
    try {
      requireRuntime(config)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ConfigurationError)
    expect((thrown as ConfigurationError).problems.map(({ path }) => path)).toEqual([
      "secret",
      "providers[0].clientId",
      "providers[0].clientSecret",
      "sesion",
      "basePath",
    ])
  })
})

describe("the second factor", () => {
  const found = (secondFactor: unknown, over: object = { store: MemoryStore() }, env = {}) =>
    check({ secondFactor, ...over }, env).problems.map(({ code, path }) => `${code} ${path}`)

  it("is valid with a store, and is off if it is false", () => {
    const options = { methods: ["totp"], rememberDeviceDays: 30, issuer: "Example" }
    expect([found({}), found(options), found(false, {})]).toEqual([[], [], []])
  })

  it("needs a store, and in production a durable one", () => {
    expect(found({}, {})).toEqual(["store-missing store"])
    expect(found({}, { store: MemoryStore() }, PRODUCTION)).toEqual(["store-not-durable store"])
    expect(found({}, { store: { ...MemoryStore(), durable: true } }, PRODUCTION)).toEqual([])
  })

  it.each([
    ["methods", ["passkey"]],
    ["methods", ["totp", "sms"]],
    ["methods", "totp"],
    ["required", true],
    ["issuer", ""],
    ["rememberDeviceDays", -1],
    ["rememberDeviceDays", 401],
  ])("rejects %s: %j", (name, value) => {
    expect(found({ [name]: value })).toEqual([`option-invalid secondFactor.${name}`])
  })

  it("reserves its name, so a requirement of the application with this name is reported", () => {
    const requirement = { name: "second-factor", isOpen: () => true, page: "/factor" }
    expect(check({ store: MemoryStore(), requirements: [requirement] }).problems.map(({ path }) => path)).toEqual([
      "requirements[0]",
    ])
  })
})

describe("a runtime", () => {
  const frozen = <T>(value: T): T => {
    if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
    for (const key of Reflect.ownKeys(value)) frozen(Reflect.get(value, key))
    return Object.freeze(value)
  }

  it("can be created from a deep-frozen configuration", () => {
    const config = frozen<AuthConfig>({ providers: [form, GitHub(client)], secret: [SECRET], cookies: {}, session: {} })
    expect(requireRuntime(config).problems).toEqual([])
  })

  it("is reused while the configuration is unchanged, and rebuilt when an option changes", () => {
    const config: AuthConfig = { providers: [form], secret: SECRET }
    const first = runtimeFor(config)
    expect(runtimeFor(config)).toBe(first)
    config.basePath = "/other"
    const second = runtimeFor(config)
    expect([second === first, second.config.basePath]).toEqual([false, "/other"])
    expect(runtimeFor({ ...config })).not.toBe(second)
  })

  it("is frozen", () => {
    const runtime = requireRuntime({ providers: [form], secret: SECRET })
    expect([
      Object.isFrozen(runtime),
      Object.isFrozen(runtime.config),
      Object.isFrozen(runtime.config.session),
    ]).toEqual([true, true, true])
  })
})

it.each([
  ["calbacks", ["callbacks", "cookies"], "callbacks"],
  ["Session", ["session"], "session"],
  ["sesion", ["session", "secret"], "session"],
  ["telemetry", ["theme", "trustHost"], undefined],
  ["", ["jwt"], undefined],
  ["jwts", ["jwt"], "jwt"],
  ["raww", ["raw", "views"], "raw"],
])("nearestName(%j, %j) is %j", (name, known, expected) => {
  expect(nearestName(name, known)).toBe(expected)
})

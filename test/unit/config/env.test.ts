import { createActionURL, providerWithEnv, setEnvDefaults } from "../../../lib/config/env.js"
import Auth0 from "../../../lib/providers/auth0.js"
import GitHub from "../../../lib/providers/github.js"
import Google from "../../../lib/providers/google.js"
import Nodemailer from "../../../lib/providers/nodemailer.js"
import Resend from "../../../lib/providers/resend.js"
import { createRuntime } from "../../../lib/runtime/runtime.js"
import type { AuthConfig } from "../../../lib/types.js"
import { recordingLogger } from "../../support/recording-logger.js"

const empty = (): AuthConfig => ({ providers: [] })

/** Returns the configuration that `setEnvDefaults` fills in, and the codes of its warnings. */
function filled(env: Record<string, string>, config: AuthConfig = empty(), suppress = false) {
  const log = recordingLogger()
  config.logger = log.logger
  setEnvDefaults(env, config, suppress)
  return { config, warnings: log.records.map(({ code }) => code) }
}

describe("setEnvDefaults", () => {
  it.each([
    [{ AUTH_SECRET: "0", AUTH_SECRET_1: "1" }, undefined, ["1", "0"]],
    [{ AUTH_SECRET_3: "3", AUTH_SECRET_2: "2", AUTH_SECRET_1: "1", AUTH_SECRET: "0" }, undefined, ["3", "2", "1", "0"]],
    [{ AUTH_SECRET: "", AUTH_SECRET_2: "2" }, undefined, ["2"]],
    [{ AUTH_SECRET: "0" }, "own", "own"],
    [{ AUTH_SECRET: "0" }, ["own"], ["own"]],
    [{ AUTH_SECRET: "0" }, [], ["0"]],
    [{ AUTH_SECRET: "0" }, "", ["0"]],
    [{ AUTH_SECRET_4: "4" }, undefined, []],
  ])("with %j and the secret %j sets the secret to %j", (env, secret, expected) => {
    expect(filled(env, { ...empty(), ...(secret !== undefined && { secret }) }).config.secret).toEqual(expected)
  })

  it.each([
    [{}, undefined, "/auth", []],
    [{ AUTH_URL: "http://n/api/auth" }, undefined, "/api/auth", []],
    [{ AUTH_URL: "http://n/api/auth/" }, undefined, "/api/auth", []],
    [{ AUTH_URL: "http://n/" }, undefined, "/auth", []],
    [{ AUTH_URL: "http://n/api/auth" }, "/own", "/own", ["env-url-basepath-redundant"]],
    [{ AUTH_URL: "http://n" }, "/own", "/own", []],
    [{ AUTH_URL: "not a url" }, undefined, "/auth", []],
  ])("with %j and basePath %j sets basePath to %j and warns %j", (env, basePath, expected, warnings) => {
    const result = filled(env as Record<string, string>, { ...empty(), ...(basePath && { basePath }) })
    expect([result.config.basePath, result.warnings]).toEqual([expected, warnings])
  })

  it.each([
    [{}, []],
    [{ AUTH_URL: "http://n/api/auth" }, ["env-url-basepath-redundant"]],
  ])("with %j sets basePath to prefix, which is an alias", (env, warnings) => {
    const result = filled(env as Record<string, string>, { ...empty(), prefix: "/login" })
    expect([result.config.basePath, result.warnings]).toEqual(["/login", warnings])
    const problems = createRuntime(result.config, {}).problems.filter(({ path }) => path !== "secret")
    expect(problems).toEqual([])
  })

  it("does not warn about basePath if warnings are suppressed", () => {
    expect(filled({ AUTH_URL: "http://n/x" }, { ...empty(), basePath: "/own" }, true).warnings).toEqual([])
  })

  it.each([
    [{ AUTH_TRUST_HOST: "1", NODE_ENV: "production" }, true],
    [{ AUTH_TRUST_HOST: "true", NODE_ENV: "production" }, true],
    [{ AUTH_TRUST_HOST: "false", NODE_ENV: "production" }, false],
    [{ AUTH_TRUST_HOST: "0", NODE_ENV: "production" }, false],
    [{ VERCEL: "1", NODE_ENV: "production" }, true],
    [{ CF_PAGES: "1", NODE_ENV: "production" }, true],
    [{ AUTH_URL: "http://n", NODE_ENV: "production" }, true],
    [{ AUTH_URL: "", VERCEL: "1", NODE_ENV: "production" }, true],
    [{ NODE_ENV: "production" }, false],
    [{ NODE_ENV: "development" }, true],
    [{ NODE_ENV: "test" }, true],
    [{}, true],
  ])("with %j sets trustHost to %s", (env, expected) => {
    expect(filled(env as Record<string, string>).config.trustHost).toBe(expected)
  })

  it("keeps the application's trustHost and redirectProxyUrl", () => {
    const env = { AUTH_URL: "http://n", AUTH_REDIRECT_PROXY_URL: "http://proxy/auth" }
    expect(filled(env).config.redirectProxyUrl).toBe("http://proxy/auth")
    const own = filled(env, { ...empty(), trustHost: false, redirectProxyUrl: "http://own" }).config
    expect([own.trustHost, own.redirectProxyUrl]).toEqual([false, "http://own"])
  })

  it("fills a provider factory from the environment without a warning", () => {
    const env = { AUTH_AUTH0_ID: "id", AUTH_AUTH0_SECRET: "s", AUTH_AUTH0_ISSUER: "https://a.test" }
    const { config, warnings } = filled(env, { providers: [Auth0] })
    expect(config.providers[0]).toMatchObject({
      id: "auth0",
      options: { clientId: "id", clientSecret: "s", issuer: "https://a.test" },
    })
    expect(warnings).toEqual([])
  })

  it("writes the variables to the provider as Auth.js does, and keeps the application's options", () => {
    const env = { AUTH_GITHUB_ID: "id", AUTH_GITHUB_SECRET: "s", AUTH_RESEND_KEY: "key" }
    const [bare, own, email] = filled(env, { providers: [GitHub, GitHub({ clientId: "own" }), Resend] }).config
      .providers
    expect(bare).toMatchObject({ clientId: "id", clientSecret: "s" })
    expect(own).toMatchObject({ clientId: "id", clientSecret: "s", options: { clientId: "own" } })
    expect(email).toMatchObject({ apiKey: "key" })
  })

  it("accepts a configuration without providers", () => {
    expect(filled({}, {} as AuthConfig).config.providers).toEqual([])
  })
})

describe("providerWithEnv", () => {
  const env = { AUTH_GITHUB_ID: "from env", AUTH_GITHUB_SECRET: "from env", AUTH_ENTERPRISE_HUB_ID: "other" }
  const optionsOf = (provider: ReturnType<typeof providerWithEnv>) => ({ ...provider, ...provider.options })

  it("fills only the options that are missing", () => {
    const given = GitHub({ clientId: "own" })
    expect(optionsOf(providerWithEnv(given, env))).toMatchObject({ clientId: "own", clientSecret: "from env" })
  })

  it("derives the variable names from the id that the application sets", () => {
    expect(optionsOf(providerWithEnv(GitHub({ id: "enterprise-hub" }), env))).toMatchObject({ clientId: "other" })
  })

  it("ignores undefined options, including the id and the name", () => {
    // JavaScript, and TypeScript without `exactOptionalPropertyTypes`, allow undefined here.
    const nothing = { id: undefined, name: undefined, issuer: undefined } as never
    const { name, issuer }: { name?: string; issuer?: string } = providerWithEnv(Google(nothing), {
      AUTH_GOOGLE_ISSUER: "https://other.test",
    }) as never
    expect([name, issuer]).toEqual(["Google", "https://accounts.google.com"])
  })

  it("uses the id as the name of a provider without a name", () => {
    // The types require a name, but JavaScript allows omitting it.
    const nameless = (more: object) => providerWithEnv({ id: "acme", type: "oidc", ...more } as never, {})
    expect(nameless({})).toMatchObject({ name: "acme" })
    expect(nameless({ options: { id: "partners" } })).toMatchObject({ name: "partners" })
    expect(nameless({ type: "credentials" })).toMatchObject({ name: "acme" })
    expect(nameless({ name: "Acme" })).toMatchObject({ name: "Acme" })
  })

  it("ignores empty variables", () => {
    expect(optionsOf(providerWithEnv(GitHub({}), { AUTH_GITHUB_ID: "" }))["clientId" as never]).toBeUndefined()
  })

  it("does not modify the provider", () => {
    const given = Object.freeze(GitHub({}))
    const before = JSON.stringify(given)
    expect(providerWithEnv(given, env)).not.toBe(given)
    expect(JSON.stringify(given)).toBe(before)
  })

  it("makes the provider valid in createRuntime", () => {
    const runtime = createRuntime({ providers: [GitHub], secret: "x".repeat(32) }, env)
    expect([runtime.problems, [...runtime.providers.keys()]]).toEqual([[], ["github"]])
  })
})

describe("providerWithEnv with an email provider", () => {
  const env = {
    AUTH_RESEND_KEY: "re_1",
    AUTH_RESEND_FROM: "Example <no-reply@example.com>",
    AUTH_NODEMAILER_SERVER: "smtp://mail.example.com",
    AUTH_NODEMAILER_FROM: "no-reply@example.com",
    AUTH_SECOND_KEY: "re_2",
  }
  const optionsOf = (provider: ReturnType<typeof providerWithEnv>) => ({ ...provider, ...provider.options })

  it("fills the options of a provider factory", () => {
    expect(optionsOf(providerWithEnv(Resend, env))).toMatchObject({
      apiKey: "re_1",
      from: "Example <no-reply@example.com>",
    })
    expect(optionsOf(providerWithEnv(Nodemailer, env))).toMatchObject({
      server: "smtp://mail.example.com",
      from: "no-reply@example.com",
    })
  })

  it("fills only the options that are missing", () => {
    const provider = providerWithEnv(Resend({ from: "own@example.com" }), env)
    expect(optionsOf(provider)).toMatchObject({ apiKey: "re_1", from: "own@example.com" })
    expect(provider).not.toHaveProperty("server")
    expect(optionsOf(providerWithEnv(Resend({ id: "second" }), env))).toMatchObject({ apiKey: "re_2" })
  })

  it("names the missing variable in the error of a provider that requires it", () => {
    const other = { AUTH_NODEMAILER_FROM: "no-reply@example.com" }
    expect(() => providerWithEnv(Nodemailer, other)).toThrow("Set AUTH_NODEMAILER_SERVER, or write { server:")
  })
})

describe("createActionURL", () => {
  const xfh = { "x-forwarded-host": "example.com" }
  it.each([
    ["callback", "", { host: "example.com" }, {}, "/basepath", "https://example.com/basepath/callback", 0],
    ["session", "http", { host: "example.com" }, {}, "/auth", "http://example.com/auth/session", 0],
    ["session", "http", { host: "127.0.0.1", ...xfh }, {}, "/auth", "http://example.com/auth/session", 0],
    ["signin", "http", { ...xfh, "x-forwarded-proto": "https" }, {}, "/auth", "https://example.com/auth/signin", 0],
    ["signin", "http:", xfh, {}, "/auth", "http://example.com/auth/signin", 0],
    ["signin", "https:", xfh, {}, "/auth", "https://example.com/auth/signin", 0],
    ["signin", "", { ...xfh, "x-forwarded-proto": "https" }, {}, "/auth", "https://example.com/auth/signin", 0],
    ["signin", "", { ...xfh, "x-forwarded-proto": "http" }, {}, "/auth", "http://example.com/auth/signin", 0],
    ["signin", "", { ...xfh, "x-forwarded-proto": "https,http" }, {}, "/auth", "https://example.com/auth/signin", 0],
    ["signin", "", { ...xfh, "x-forwarded-proto": "https , http" }, {}, "/auth", "https://example.com/auth/signin", 0],
    ["signin", "http", { "x-forwarded-host": "a.test , b.test" }, {}, "/auth", "http://a.test/auth/signin", 0],
    // The proxy sends an empty X-Forwarded-Host.
    ["signin", "http", { host: "h", "x-forwarded-host": "" }, {}, "/auth", "http://h/auth/signin", 0],
    ["signin", "http", { host: "h", "x-forwarded-host": " , b.test" }, {}, "/auth", "http://h/auth/signin", 0],
    ["session", "http", { host: "h" }, {}, "/", "http://h/session", 0],
    ["session", "http", { host: "h" }, {}, "auth/", "http://h/auth/session", 0],
    [
      "signout",
      "",
      xfh,
      { AUTH_URL: "http://localhost:3000" },
      "/api/auth",
      "http://localhost:3000/api/auth/signout",
      0,
    ],
    [
      "signout",
      "",
      {},
      { NEXTAUTH_URL: "http://localhost:3000" },
      "/api/auth",
      "http://localhost:3000/api/auth/signout",
      0,
    ],
    [
      "signout",
      "",
      {},
      { AUTH_URL: "https://sub.domain.env.com" },
      "/api/auth",
      "https://sub.domain.env.com/api/auth/signout",
      0,
    ],
    [
      "signout",
      "",
      {},
      { AUTH_URL: "https://sub.domain.env.com/api/auth" },
      undefined,
      "https://sub.domain.env.com/api/auth/signout",
      0,
    ],
    [
      "signout",
      "",
      {},
      { AUTH_URL: "http://localhost:3000/my-app/api/auth" },
      "/my-app/api/auth",
      "http://localhost:3000/my-app/api/auth/signout",
      0,
    ],
    [
      "signout",
      "",
      {},
      { AUTH_URL: "http://localhost:3000/my-app/api/auth/" },
      "/my-app/api/auth",
      "http://localhost:3000/my-app/api/auth/signout",
      1,
    ],
    [
      "signout",
      "",
      {},
      { AUTH_URL: "https://sub.domain.env.com/my-app" },
      "/api/auth",
      "https://sub.domain.env.com/api/auth/signout",
      1,
    ],
  ] as const)("(%s, %j, %j, %j, %j) returns %s", (action, protocol, headers, env, basePath, expected, warnings) => {
    const log = recordingLogger()
    const config = { logger: log.logger, ...(basePath !== undefined && { basePath }) }
    const sent = new Headers(Object.entries(headers))
    expect(createActionURL(action, protocol, sent, env, config).href).toBe(expected)
    expect(log.records.map(({ code }) => code)).toEqual(Array(warnings).fill("env-url-basepath-mismatch"))
  })

  it("throws if there is no host or AUTH_URL is not a URL", () => {
    const config = { basePath: "/auth" }
    expect(() => createActionURL("session", "http", new Headers(), {}, config)).toThrow(TypeError)
    expect(() => createActionURL("session", "http", new Headers(), { AUTH_URL: "x" }, config)).toThrow("Invalid URL")
  })
})

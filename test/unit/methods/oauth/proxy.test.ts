import { resolveConfig } from "../../../../lib/config/resolve.js"
import { createState, handOn, redirectUriOf } from "../../../../lib/methods/oauth/proxy.js"
import GitHub from "../../../../lib/providers/github.js"
import { createRuntime } from "../../../../lib/runtime.js"
import { open, seal } from "../../../../lib/security/jwe.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { recordingLogger } from "../../../support/recording-logger.js"
import { callOf, NOW, providerOf, type Setting, settingOf } from "./setting.js"

const PROXY = "https://auth.example.test"
const PREVIEW = "https://preview-1.example.test"
const MINUTE_MS = 60_000

const proxied = (config: Partial<AuthConfig> = {}) =>
  settingOf([{}, { id: "evil" }], {
    redirectProxyUrl: `${PROXY}/auth`,
    redirectProxyOrigins: ["https://*.example.test"],
    ...config,
  })

async function stateFrom(setting: Setting, origin: string, provider = "acme"): Promise<string> {
  return createState(await callOf(setting, { origin }), providerOf(setting, provider), setting.runtime)
}

/** A state that names this address, as a deployment of Auth.js makes it too. */
const stateFor = ({ runtime }: Setting, origin: unknown): string =>
  seal({ origin }, runtime.keys.for("encodedState"), 60, NOW)

/** Where the deployment at this origin hands an answer on to. */
async function handedOn(setting: Setting, query: Record<string, string>, origin = PROXY) {
  return handOn(await callOf(setting, { query, origin }), providerOf(setting), setting.runtime)?.location
}

describe("the redirect URI", () => {
  it.each([
    [undefined, `${PREVIEW}/auth/callback/acme`],
    [`${PROXY}/auth`, `${PROXY}/auth/callback/acme`],
    [`${PROXY}/auth/`, `${PROXY}/auth/callback/acme`],
    [`${PROXY}//auth`, `${PROXY}//auth/callback/acme`],
  ])("with the proxy %s is %s", async (redirectProxyUrl, expected) => {
    const setting = settingOf({}, redirectProxyUrl === undefined ? {} : { redirectProxyUrl })
    expect(redirectUriOf(await callOf(setting, { origin: PREVIEW }), providerOf(setting))).toBe(expected)
  })
})

describe("a state", () => {
  it("is random text and no more, without a proxy", async () => {
    expect(await stateFrom(settingOf(), PREVIEW)).toMatch(/^[\w-]{43}$/)
  })

  it("says, sealed, where the answer is to go, unless that is the proxy itself", async () => {
    const setting = proxied()
    const opened = async (origin: string) =>
      open(await stateFrom(setting, origin), setting.runtime.keys.for("encodedState"), NOW)
    const random = expect.stringMatching(/^[\w-]{43}$/)
    const times = { iat: NOW / 1000, exp: NOW / 1000 + 900, jti: expect.any(String) }
    expect(await opened(PREVIEW)).toEqual({ random, origin: `${PREVIEW}/auth/callback/acme`, ...times })
    expect(await opened(PROXY)).toEqual({ random, ...times })
  })
})

describe("the secret of the proxy", () => {
  const secret = "a secret of the proxy, of forty-eight letters, too"
  const warnings = (config: Partial<AuthConfig>) => proxied(config).log.text()

  it("SEC-21: seals states instead of the secret of sessions", async () => {
    const setting = proxied({ redirectProxySecret: secret })
    const state = await stateFrom(setting, PREVIEW)
    expect(() => open(state, setting.runtime.keys.for("encodedState"), NOW)).toThrow()
    const production = proxied({
      redirectProxySecret: secret,
      secret: "the secret of production, of forty-eight letters",
    })
    expect(await handedOn(production, { code: "c", state })).toContain(PREVIEW)
  })

  it("SEC-21: may be a list while it changes: the first seals, each opens", async () => {
    const before = proxied({ redirectProxySecret: secret })
    const state = await stateFrom(before, PREVIEW)
    const after = proxied({ redirectProxySecret: ["a new secret of the proxy, of forty-eight letters", secret] })
    expect(await handedOn(after, { code: "c", state })).toContain(PREVIEW)
  })

  it.each([
    ["there is none", {}, true],
    ["it is the secret of sessions", { redirectProxySecret: "a secret for tests alone, of forty-eight letters" }, true],
    ["it is another", { redirectProxySecret: secret }, false],
    ["there is no proxy", { redirectProxyUrl: undefined }, false],
  ])("SEC-21: is warned of at the start where %s", (_when, config, isWarned) => {
    expect(warnings(config as Partial<AuthConfig>).includes("redirect-proxy-secret-shared")).toBe(isWarned)
  })

  it("SEC-21: is warned of where one provider alone has a proxy", () => {
    const { log } = settingOf({ redirectProxyUrl: `${PROXY}/auth` })
    expect(log.text()).toContain("redirect-proxy-secret-shared")
  })

  it("SEC-21: is taken from the environment", () => {
    const env = { AUTH_SECRET: "a secret of forty-eight letters, for tests alone", AUTH_REDIRECT_PROXY_SECRET: secret }
    expect(resolveConfig({ providers: [] }, env).redirectProxySecrets).toEqual([secret])
  })

  it("SEC-21: can't be short in production", () => {
    const { problems } = createRuntime(
      { providers: [], redirectProxyUrl: `${PROXY}/auth`, redirectProxySecret: "short", logger: { warn() {} } },
      { AUTH_SECRET: "a secret of forty-eight letters, for tests alone", NODE_ENV: "production", AUTH_URL: PREVIEW },
    )
    expect(problems.map(({ path, code }) => [path, code])).toEqual([["redirectProxySecret", "secret-too-short"]])
  })
})

describe("on the proxy an answer", () => {
  it("is handed on to where it began, with all that it says", async () => {
    const setting = proxied()
    const state = await stateFrom(setting, PREVIEW)
    const query = { code: "a+b c", state, iss: "https://acme.test" }
    expect(await handedOn(setting, query)).toBe(`${PREVIEW}/auth/callback/acme?${new URLSearchParams(query)}`)
  })

  it("is kept that began here, or says no state", async () => {
    const setting = proxied()
    expect(await handedOn(setting, { code: "c", state: await stateFrom(setting, PROXY) })).toBeUndefined()
    expect(await handedOn(setting, { code: "c" })).toBeUndefined()
    expect(await handedOn(setting, { code: "c", state: "" })).toBeUndefined()
  })

  it("is kept anywhere else, whatever its state says", async () => {
    const setting = proxied()
    const state = await stateFrom(setting, PREVIEW)
    expect(await handedOn(setting, { state }, "https://preview-2.example.test")).toBeUndefined()
    expect(await handedOn(settingOf(), { state })).toBeUndefined()
  })

  it.each([undefined, null, 42, "", "nowhere", "/auth", [PREVIEW], { href: PREVIEW }, `${PROXY}/elsewhere`])(
    "is kept where the state names no other deployment's address: %j",
    async (origin) => {
      const setting = proxied()
      expect(await handedOn(setting, { state: stateFor(setting, origin) })).toBeUndefined()
    },
  )

  it("is refused with a state that is another's, or 15 minutes old", async () => {
    const setting = proxied()
    const refused = {
      type: "InvalidCheck",
      message:
        "State could not be decoded: proxy and deployment need the same AUTH_REDIRECT_PROXY_SECRET, or without it the same AUTH_SECRET, and 15 minutes are the limit",
      messageCode: "redirect-proxy-state-unreadable",
      cause: { provider: "acme" },
    }
    await expect(handedOn(setting, { state: "made up" })).rejects.toMatchObject(refused)
    const state = await stateFrom(setting, PREVIEW)
    setting.time.now += 15 * MINUTE_MS + 15_000
    await expect(handedOn(setting, { state })).rejects.toMatchObject(refused)
  })

  const OF_ANOTHER = {
    type: "InvalidCheck",
    messageCode: "redirect-proxy-provider-mismatch",
    message: "an answer came to the callback of another provider than the one that its sign-in began with",
    cause: { provider: "acme" },
  }

  it("OID-41, ADV-13: is refused where the sign-in began with another provider", async () => {
    const setting = proxied()
    const state = await stateFrom(setting, PREVIEW, "evil")
    await expect(handedOn(setting, { code: "of acme", state })).rejects.toMatchObject(OF_ANOTHER)
  })

  it.each(
    [
      ["/auth/callback/evil", "/auth/callback/acme-2", "/auth/callback/xacme", "/auth/callback/ACME", "/auth/callback"],
      ["/auth/callback/evil?to=/callback/acme", "/auth/callback/evil#/callback/acme", "/auth/callback/acme/../evil"],
      [
        "/auth/callback/acme/",
        "/auth/callback/acme/evil",
        "/auth/signin/acme",
        "/auth/xcallback/acme",
        "/acme",
        "",
        "/",
      ],
    ].flat(),
  )("OID-41: is refused where its state names another address: %j", async (path) => {
    const setting = proxied()
    const state = stateFor(setting, PREVIEW + path)
    await expect(handedOn(setting, { state })).rejects.toMatchObject(OF_ANOTHER)
  })

  it.each(["code", "state", "iss", "error"])("OID-34: is refused with two of %s", async (name) => {
    const setting = proxied()
    const query = { code: "c", state: await stateFrom(setting, PREVIEW) }
    const call = await callOf(setting, { query, origin: PROXY })
    for (const value of ["one", "two"]) call.url.searchParams.append(name, value)
    expect(() => handOn(call, providerOf(setting), setting.runtime)).toThrow(
      expect.objectContaining({
        type: "OAuthCallbackError",
        messageCode: "provider-answer-invalid",
        cause: expect.objectContaining({
          provider: "acme",
          err: expect.objectContaining({ message: `the provider's answer has "${name}" more than once` }),
        }),
      }),
    )
  })

  it.each(["/auth/callback/acme", "/api/auth/callback/acme", "/callback/acme", "/auth/callback/acme?code=x#y"])(
    "goes to the provider's own callback, wherever that is, with nothing else: %s",
    async (path) => {
      const setting = proxied()
      const state = stateFor(setting, PREVIEW + path)
      const { pathname } = new URL(path, PREVIEW)
      expect(await handedOn(setting, { state })).toBe(`${PREVIEW}${pathname}?state=${state}`)
    },
  )

  it.each<[string, string, string[]]>([
    ["the origin itself", PREVIEW, [PREVIEW]],
    ["one of several", PREVIEW, ["https://shop.test", PREVIEW]],
    ["any name one level below", PREVIEW, ["https://*.example.test"]],
    ["a name that begins so", PREVIEW, ["https://preview-*.example.test"]],
  ])("goes where it is allowed to go: %s", async (_name, origin, redirectProxyOrigins) => {
    const setting = proxied({ redirectProxyOrigins })
    const state = await stateFrom(setting, origin)
    expect(await handedOn(setting, { state })).toMatch(`${origin}/auth/callback/acme?`)
  })

  it.each<[string, string, string[]]>([
    ["an origin that is not listed", PREVIEW, ["https://shop.test"]],
    ["an empty list", PREVIEW, []],
    ["another scheme", "http://preview-1.example.test", ["https://*.example.test"]],
    ["another port", `${PREVIEW}:8443`, ["https://*.example.test"]],
    ["a name two levels below", "https://a.b.example.test", ["https://*.example.test"]],
    ["a name that only ends alike", "https://evilexample.test", ["https://*.example.test"]],
    ["a name that only begins alike", "https://preview-1.evil.test", ["https://*.example.test"]],
    ["the name without its beginning", "https://example.test", ["https://*.example.test"]],
    ["a name without a letter for the star", "https://preview-.example.test", ["https://preview-*.example.test"]],
  ])("goes nowhere else: %s", async (_name, origin, redirectProxyOrigins) => {
    const setting = proxied({ redirectProxyOrigins })
    const state = await stateFrom(setting, origin)
    await expect(handedOn(setting, { state })).rejects.toMatchObject({
      type: "InvalidCheck",
      messageCode: "redirect-proxy-origin-unlisted",
      message: "an answer is for a deployment that redirectProxyOrigins does not list",
      cause: { provider: "acme", origin },
    })
  })

  it("goes nowhere without a list", async () => {
    const redirectProxySecret = "a secret of the proxy, of forty-eight letters, too"
    const setting = settingOf({}, { redirectProxyUrl: `${PROXY}/auth`, redirectProxySecret })
    const state = await stateFrom(setting, PREVIEW)
    await expect(handedOn(setting, { state })).rejects.toMatchObject({
      type: "InvalidCheck",
      messageCode: "redirect-proxy-origins-missing",
      message: expect.stringContaining(`redirectProxyOrigins: ["${PREVIEW}"]`),
      cause: { provider: "acme", origin: PREVIEW },
    })
    // An answer for the proxy itself needs no list.
    expect(await handedOn(setting, { state: await stateFrom(setting, PROXY) })).toBeUndefined()
  })
})

describe("the list of deployments", () => {
  const redirectProxyUrl = `${PROXY}/auth`
  const findings = (config: Partial<AuthConfig>, env: Record<string, string> = {}) => {
    const log = recordingLogger()
    const { problems } = createRuntime(
      { providers: [GitHub({ clientId: "a", clientSecret: "b" })], logger: log.logger, ...config },
      { AUTH_SECRET: "a secret of forty-eight letters, for tests alone", ...env },
    )
    return {
      problems: problems.map(({ code, path }) => `${path} ${code}`),
      warns: log.records.some(({ code }) => code === "redirect-proxy-origins-missing"),
      text: JSON.stringify(problems),
    }
  }
  const missing = { problems: ["redirectProxyOrigins redirect-proxy-origins-missing"], warns: false }

  it("is required where AUTH_URL shows that this site is the proxy", () => {
    const ofProvider = [GitHub({ clientId: "a", clientSecret: "b", redirectProxyUrl })]
    expect(findings({ redirectProxyUrl }, { AUTH_URL: PROXY })).toMatchObject(missing)
    expect(findings({ providers: ofProvider }, { AUTH_URL: `${PROXY}/auth` })).toMatchObject(missing)
    expect(findings({}, { AUTH_URL: PROXY, AUTH_REDIRECT_PROXY_URL: redirectProxyUrl })).toMatchObject(missing)
  })

  it.each<[string, Partial<AuthConfig>, Record<string, string>, boolean]>([
    ["the site's address is not known", { redirectProxyUrl }, {}, true],
    ["the site has another address", { redirectProxyUrl }, { AUTH_URL: PREVIEW }, false],
    ["there is a list", { redirectProxyUrl, redirectProxyOrigins: [PREVIEW] }, { AUTH_URL: PROXY }, false],
    ["there is an empty list", { redirectProxyUrl, redirectProxyOrigins: [] }, { AUTH_URL: PROXY }, false],
    ["there is no proxy", {}, { AUTH_URL: PROXY }, false],
  ])("is no problem where %s", (_when, config, env, warns) => {
    expect(findings(config, env)).toMatchObject({ problems: [], warns })
  })

  it.each([
    ["https://preview.example.test/", "https://preview.example.test"],
    ["https://*.Example.test", "https://*.example.test"],
    ["https://*.example.test/auth", "https://*.example.test"],
    ["https://*.example.test:443", "https://*.example.test"],
    ["preview.example.test", "https://*.preview.example.com"],
    ["*.example.test", "https://*.preview.example.com"],
    ["https://*", "https://*.preview.example.com"],
    ["https://*.test", "https://*.preview.example.com"],
    ["https://*.*.example.test", "https://*.preview.example.com"],
    ["https://a.*.example.test", "https://*.preview.example.com"],
    ["https://example.test:*", "https://*.preview.example.com"],
    ["ftp://*.example.test", "https://*.preview.example.com"],
    ["*", "https://*.preview.example.com"],
  ])("has origins with one wildcard label at most, not %s", (entry, advice) => {
    const { problems, text } = findings({ redirectProxyUrl, redirectProxyOrigins: [PREVIEW, entry] })
    expect(problems).toEqual(["redirectProxyOrigins[1] redirect-proxy-origin-invalid"])
    expect(text).toContain(entry)
    expect(text).toContain(`Write \\"${advice}\\"`)
  })

  it.each([
    "https://a.example.test",
    "http://localhost:3000",
    "http://*.localhost:3000",
    "https://app-*-team.vercel.app",
  ])("may have %s", (entry) => {
    expect(findings({ redirectProxyUrl, redirectProxyOrigins: [entry] }).problems).toEqual([])
  })

  it("may not have an entry that is no text", () => {
    const redirectProxyOrigins = [5] as unknown as string[]
    expect(findings({ redirectProxyUrl, redirectProxyOrigins }).problems).toEqual([
      "redirectProxyOrigins[0] redirect-proxy-origin-invalid",
    ])
  })
})

import { resolveConfig } from "../../../../lib/config/resolve.js"
import { createState, handOn, redirectUriOf } from "../../../../lib/methods/oauth/proxy.js"
import { createRuntime } from "../../../../lib/runtime.js"
import { open, seal } from "../../../../lib/security/jwe.js"
import type { AuthConfig } from "../../../../lib/types.js"
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
      { AUTH_SECRET: "a secret of forty-eight letters, for tests alone", NODE_ENV: "production" },
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

  it("goes anywhere without a list, which is said once", async () => {
    const redirectProxySecret = "a secret of the proxy, of forty-eight letters, too"
    const setting = settingOf({}, { redirectProxyUrl: `${PROXY}/auth`, redirectProxySecret })
    const state = await stateFrom(setting, PREVIEW)
    for (let i = 0; i < 2; i++) expect(await handedOn(setting, { state })).toContain(PREVIEW)
    const said = setting.log.records.filter(({ level }) => level === "warn")
    expect(said).toHaveLength(1)
    expect(setting.log.text()).toContain(`List them: redirectProxyOrigins: ["${PREVIEW}"]`)
    expect(setting.log.text()).toContain("redirect-proxy-open")
  })
})

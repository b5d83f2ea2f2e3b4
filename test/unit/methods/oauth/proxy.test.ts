import { resolveConfig } from "../../../../lib/config/resolve.js"
import { createState, forwardToDeployment, redirectUri } from "../../../../lib/methods/oauth/proxy.js"
import GitHub from "../../../../lib/providers/github.js"
import { createRuntime } from "../../../../lib/runtime/runtime.js"
import { open, seal } from "../../../../lib/security/jwe.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { recordingLogger } from "../../../support/recording-logger.js"
import { callOf, createSite, NOW, providerOf, type TestSite } from "./test-site.js"

const PROXY = "https://auth.example.test"
const PREVIEW = "https://preview-1.example.test"
const MINUTE_MS = 60_000

const proxied = (config: Partial<AuthConfig> = {}) =>
  createSite([{}, { id: "evil" }], {
    redirectProxyUrl: `${PROXY}/auth`,
    redirectProxyOrigins: ["https://*.example.test"],
    ...config,
  })

async function stateFrom(site: TestSite, origin: string, provider = "acme"): Promise<string> {
  return createState(await callOf(site, { origin }), providerOf(site, provider), site.runtime)
}

/** Returns a sealed state with this address, in the format of Auth.js. */
const stateFor = ({ runtime }: TestSite, origin: unknown): string =>
  seal({ origin }, runtime.keys.for("encodedState"), 60, NOW)

/** Returns the URL to which the deployment at this origin forwards a response. */
async function forwardedTo(site: TestSite, query: Record<string, string>, origin = PROXY) {
  return forwardToDeployment(await callOf(site, { query, origin }), providerOf(site), site.runtime)?.location
}

describe("redirectUri", () => {
  it.each([
    [undefined, `${PREVIEW}/auth/callback/acme`],
    [`${PROXY}/auth`, `${PROXY}/auth/callback/acme`],
    [`${PROXY}/auth/`, `${PROXY}/auth/callback/acme`],
    [`${PROXY}//auth`, `${PROXY}//auth/callback/acme`],
  ])("with the proxy %s returns %s", async (redirectProxyUrl, expected) => {
    const site = createSite({}, redirectProxyUrl === undefined ? {} : { redirectProxyUrl })
    expect(redirectUri(await callOf(site, { origin: PREVIEW }), providerOf(site))).toBe(expected)
  })
})

describe("createState", () => {
  it("returns random text without a proxy", async () => {
    expect(await stateFrom(createSite(), PREVIEW)).toMatch(/^[\w-]{43}$/)
  })

  it("seals the deployment's address into the state, unless the deployment is the proxy", async () => {
    const site = proxied()
    const opened = async (origin: string) =>
      open(await stateFrom(site, origin), site.runtime.keys.for("encodedState"), NOW)
    const random = expect.stringMatching(/^[\w-]{43}$/)
    const times = { iat: NOW / 1000, exp: NOW / 1000 + 900, jti: expect.any(String) }
    expect(await opened(PREVIEW)).toEqual({ random, origin: `${PREVIEW}/auth/callback/acme`, ...times })
    expect(await opened(PROXY)).toEqual({ random, ...times })
  })
})

describe("redirectProxySecret", () => {
  const secret = "a secret of the proxy, of forty-eight letters, too"
  const warnings = (config: Partial<AuthConfig>) => proxied(config).log.text()

  it("SEC-21: seals the state instead of the session secret", async () => {
    const site = proxied({ redirectProxySecret: secret })
    const state = await stateFrom(site, PREVIEW)
    expect(() => open(state, site.runtime.keys.for("encodedState"), NOW)).toThrow()
    const production = proxied({
      redirectProxySecret: secret,
      secret: "the secret of production, of forty-eight letters",
    })
    expect(await forwardedTo(production, { code: "c", state })).toContain(PREVIEW)
  })

  it("SEC-21: can be a list: the first secret seals, and every secret opens", async () => {
    const before = proxied({ redirectProxySecret: secret })
    const state = await stateFrom(before, PREVIEW)
    const after = proxied({ redirectProxySecret: ["a new secret of the proxy, of forty-eight letters", secret] })
    expect(await forwardedTo(after, { code: "c", state })).toContain(PREVIEW)
  })

  it.each([
    ["redirectProxySecret is missing", {}, true],
    ["it is equal to the secret", { redirectProxySecret: "a secret for tests alone, of forty-eight letters" }, true],
    ["it is another secret", { redirectProxySecret: secret }, false],
    ["the configuration has no proxy", { redirectProxyUrl: undefined }, false],
  ])("SEC-21: causes a warning at start-up only if it is missing or shared: %s", (_when, config, isWarned) => {
    expect(warnings(config as Partial<AuthConfig>).includes("redirect-proxy-secret-shared")).toBe(isWarned)
  })

  it("SEC-21: causes a warning if only a provider has a proxy", () => {
    const { log } = createSite({ redirectProxyUrl: `${PROXY}/auth` })
    expect(log.text()).toContain("redirect-proxy-secret-shared")
  })

  it("SEC-21: is read from AUTH_REDIRECT_PROXY_SECRET", () => {
    const env = { AUTH_SECRET: "a secret of forty-eight letters, for tests alone", AUTH_REDIRECT_PROXY_SECRET: secret }
    expect(resolveConfig({ providers: [] }, env).redirectProxySecrets).toEqual([secret])
  })

  it("SEC-21: must not be short in production", () => {
    const { problems } = createRuntime(
      { providers: [], redirectProxyUrl: `${PROXY}/auth`, redirectProxySecret: "short", logger: { warn() {} } },
      { AUTH_SECRET: "a secret of forty-eight letters, for tests alone", NODE_ENV: "production", AUTH_URL: PREVIEW },
    )
    expect(problems.map(({ path, code }) => [path, code])).toEqual([["redirectProxySecret", "secret-too-short"]])
  })
})

describe("forwardToDeployment", () => {
  it("forwards a response to the deployment where the sign-in began, with all parameters", async () => {
    const site = proxied()
    const state = await stateFrom(site, PREVIEW)
    const query = { code: "a+b c", state, iss: "https://acme.test" }
    expect(await forwardedTo(site, query)).toBe(`${PREVIEW}/auth/callback/acme?${new URLSearchParams(query)}`)
  })

  it("does not forward a response to a sign-in of the proxy itself, or without a state", async () => {
    const site = proxied()
    expect(await forwardedTo(site, { code: "c", state: await stateFrom(site, PROXY) })).toBeUndefined()
    expect(await forwardedTo(site, { code: "c" })).toBeUndefined()
    expect(await forwardedTo(site, { code: "c", state: "" })).toBeUndefined()
  })

  it("does not forward a response that does not arrive at the proxy", async () => {
    const site = proxied()
    const state = await stateFrom(site, PREVIEW)
    expect(await forwardedTo(site, { state }, "https://preview-2.example.test")).toBeUndefined()
    expect(await forwardedTo(createSite(), { state })).toBeUndefined()
  })

  it.each([undefined, null, 42, "", "nowhere", "/auth", [PREVIEW], { href: PREVIEW }, `${PROXY}/elsewhere`])(
    "does not forward a response whose state names no other deployment: %j",
    async (origin) => {
      const site = proxied()
      expect(await forwardedTo(site, { state: stateFor(site, origin) })).toBeUndefined()
    },
  )

  it("rejects a state that can't be decrypted or is older than 15 minutes", async () => {
    const site = proxied()
    const refused = {
      type: "InvalidCheck",
      message:
        "State could not be decoded: it is older than 15 minutes, or the proxy and the deployment do not have the same AUTH_REDIRECT_PROXY_SECRET (if that is not set, the same AUTH_SECRET)",
      messageCode: "redirect-proxy-state-unreadable",
      cause: { provider: "acme" },
    }
    await expect(forwardedTo(site, { state: "made up" })).rejects.toMatchObject(refused)
    const state = await stateFrom(site, PREVIEW)
    site.time.now += 15 * MINUTE_MS + 15_000
    await expect(forwardedTo(site, { state })).rejects.toMatchObject(refused)
  })

  const PROVIDER_MISMATCH = {
    type: "InvalidCheck",
    messageCode: "redirect-proxy-provider-mismatch",
    message: "the response came to this provider's endpoint, but the sign-in or logout started with another provider",
    cause: { provider: "acme" },
  }

  it("OID-41, ADV-13: rejects a response if the sign-in began with another provider", async () => {
    const site = proxied()
    const state = await stateFrom(site, PREVIEW, "evil")
    await expect(forwardedTo(site, { code: "of acme", state })).rejects.toMatchObject(PROVIDER_MISMATCH)
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
  )("OID-41: rejects a state with another path than the provider's callback: %j", async (path) => {
    const site = proxied()
    const state = stateFor(site, PREVIEW + path)
    await expect(forwardedTo(site, { state })).rejects.toMatchObject(PROVIDER_MISMATCH)
  })

  it.each(["code", "state", "iss", "error"])("OID-34: rejects a response with two %s parameters", async (name) => {
    const site = proxied()
    const query = { code: "c", state: await stateFrom(site, PREVIEW) }
    const call = await callOf(site, { query, origin: PROXY })
    for (const value of ["one", "two"]) call.url.searchParams.append(name, value)
    expect(() => forwardToDeployment(call, providerOf(site), site.runtime)).toThrow(
      expect.objectContaining({
        type: "OAuthCallbackError",
        messageCode: "provider-answer-invalid",
        cause: expect.objectContaining({
          provider: "acme",
          err: expect.objectContaining({ message: `the provider's response has "${name}" more than once` }),
        }),
      }),
    )
  })

  it.each(["/auth/callback/acme", "/api/auth/callback/acme", "/callback/acme", "/auth/callback/acme?code=x#y"])(
    "forwards to the path of the provider's callback without its query: %s",
    async (path) => {
      const site = proxied()
      const state = stateFor(site, PREVIEW + path)
      const { pathname } = new URL(path, PREVIEW)
      expect(await forwardedTo(site, { state })).toBe(`${PREVIEW}${pathname}?state=${state}`)
    },
  )

  it.each<[string, string, string[]]>([
    ["the exact origin", PREVIEW, [PREVIEW]],
    ["one of several origins", PREVIEW, ["https://shop.test", PREVIEW]],
    ["a wildcard for a label", PREVIEW, ["https://*.example.test"]],
    ["a wildcard for a part of a label", PREVIEW, ["https://preview-*.example.test"]],
  ])("forwards to a deployment that redirectProxyOrigins lists as %s", async (_name, origin, redirectProxyOrigins) => {
    const site = proxied({ redirectProxyOrigins })
    const state = await stateFrom(site, origin)
    expect(await forwardedTo(site, { state })).toMatch(`${origin}/auth/callback/acme?`)
  })

  it.each<[string, string, string[]]>([
    ["an unlisted origin", PREVIEW, ["https://shop.test"]],
    ["any origin if the list is empty", PREVIEW, []],
    ["another scheme", "http://preview-1.example.test", ["https://*.example.test"]],
    ["another port", `${PREVIEW}:8443`, ["https://*.example.test"]],
    ["a host two levels below the wildcard's domain", "https://a.b.example.test", ["https://*.example.test"]],
    ["a domain that only ends in the same letters", "https://evilexample.test", ["https://*.example.test"]],
    ["a host with the same first label", "https://preview-1.evil.test", ["https://*.example.test"]],
    ["the domain without a label for the wildcard", "https://example.test", ["https://*.example.test"]],
    ["a label with nothing for the wildcard", "https://preview-.example.test", ["https://preview-*.example.test"]],
  ])("rejects %s", async (_name, origin, redirectProxyOrigins) => {
    const site = proxied({ redirectProxyOrigins })
    const state = await stateFrom(site, origin)
    await expect(forwardedTo(site, { state })).rejects.toMatchObject({
      type: "InvalidCheck",
      messageCode: "redirect-proxy-origin-unlisted",
      message: "the response is for a deployment that redirectProxyOrigins does not list",
      cause: { provider: "acme", origin },
    })
  })

  it("rejects any deployment if redirectProxyOrigins is missing", async () => {
    const redirectProxySecret = "a secret of the proxy, of forty-eight letters, too"
    const site = createSite({}, { redirectProxyUrl: `${PROXY}/auth`, redirectProxySecret })
    const state = await stateFrom(site, PREVIEW)
    await expect(forwardedTo(site, { state })).rejects.toMatchObject({
      type: "InvalidCheck",
      messageCode: "redirect-proxy-origins-missing",
      message: expect.stringContaining(`redirectProxyOrigins: ["${PREVIEW}"]`),
      cause: { provider: "acme", origin: PREVIEW },
    })
    // A response for the proxy itself needs no list.
    expect(await forwardedTo(site, { state: await stateFrom(site, PROXY) })).toBeUndefined()
  })
})

describe("redirectProxyOrigins", () => {
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

  it("is required if AUTH_URL shows that this site is the proxy", () => {
    const ofProvider = [GitHub({ clientId: "a", clientSecret: "b", redirectProxyUrl })]
    expect(findings({ redirectProxyUrl }, { AUTH_URL: PROXY })).toMatchObject(missing)
    expect(findings({ providers: ofProvider }, { AUTH_URL: `${PROXY}/auth` })).toMatchObject(missing)
    expect(findings({}, { AUTH_URL: PROXY, AUTH_REDIRECT_PROXY_URL: redirectProxyUrl })).toMatchObject(missing)
  })

  it.each<[string, Partial<AuthConfig>, Record<string, string>, boolean]>([
    ["the site's address is unknown", { redirectProxyUrl }, {}, true],
    ["the site has another address", { redirectProxyUrl }, { AUTH_URL: PREVIEW }, false],
    ["it lists an origin", { redirectProxyUrl, redirectProxyOrigins: [PREVIEW] }, { AUTH_URL: PROXY }, false],
    ["it is an empty list", { redirectProxyUrl, redirectProxyOrigins: [] }, { AUTH_URL: PROXY }, false],
    ["the configuration has no proxy", {}, { AUTH_URL: PROXY }, false],
  ])("causes no configuration error if %s", (_when, config, env, warns) => {
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
  ])("rejects the entry %s and suggests %s", (entry, advice) => {
    const { problems, text } = findings({ redirectProxyUrl, redirectProxyOrigins: [PREVIEW, entry] })
    expect(problems).toEqual(["redirectProxyOrigins[1] option-invalid"])
    expect(text).toContain(entry)
    expect(text).toContain(`Write \\"${advice}\\"`)
  })

  it.each([
    "https://a.example.test",
    "http://localhost:3000",
    "http://*.localhost:3000",
    "https://app-*-team.vercel.app",
  ])("accepts the entry %s", (entry) => {
    expect(findings({ redirectProxyUrl, redirectProxyOrigins: [entry] }).problems).toEqual([])
  })

  it("rejects an entry that is not a string", () => {
    const redirectProxyOrigins = [5] as unknown as string[]
    expect(findings({ redirectProxyUrl, redirectProxyOrigins }).problems).toEqual([
      "redirectProxyOrigins[0] option-invalid",
    ])
  })
})

/**
 * Tests of every provider: its authorization request, a complete sign-in at a simulated vendor that sends the documented
 * responses, and the mapping of incomplete profiles.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { authMiddleware, setEnvDefaults } from "../../lib/index.js"
import type { Provider, ProviderObject } from "../../lib/provider-kit/provider.js"
import { customFetch } from "../../lib/symbols.js"
import type { Account, AuthConfig, Profile, User } from "../../lib/types.js"
import { describeServer, type RunningApp, recordingLogger, TEST_SECRET } from "../support/apps.js"
import type { Browser, Page } from "../support/browser.js"
import type { RecordingLogger } from "../support/recording-logger.js"
import { type ApiAnswer, CATALOGUE, loadCase, type ProviderCase } from "./support/catalogue.js"
import { loadFactory } from "./support/factories.js"
import { isOfAuthJs, loadTheirs } from "./support/facts.js"
import { type Internet, startInternet, type VendorAnswer } from "./support/internet.js"
import { isClean, partsOf, valueAt, without } from "./support/parts.js"

const CLIENT = { clientId: "the-client", clientSecret: "the-client-secret-of-forty-letters-at-least" }
const CODE = "the-code"

let internet: Internet
const realFetch = globalThis.fetch
beforeAll(async () => {
  internet = await startInternet()
})
afterAll(() => internet.close())
afterEach(() => {
  globalThis.fetch = realFetch
})

const keys = {
  RS256: generateKeyPair("RS256", { extractable: true }),
  ES256: generateKeyPair("ES256", { extractable: true }),
}

async function jwks(): Promise<object> {
  const found = Object.entries(keys).map(async ([alg, pair]) => ({
    ...(await exportJWK((await pair).publicKey)),
    alg,
    kid: alg,
    use: "sig",
  }))
  return { keys: await Promise.all(found) }
}

/** Signs a token as the vendor does. */
async function signToken(claims: Readonly<Record<string, unknown>>, alg: keyof typeof keys | "HS256"): Promise<string> {
  const key = alg === "HS256" ? new TextEncoder().encode(CLIENT.clientSecret) : (await keys[alg]).privateKey
  return new SignJWT(claims).setProtectedHeader({ alg, kid: alg }).sign(key)
}

const withoutUndefined = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )

/** Checks the authorization URL and returns its parameters. Values that are random for each attempt may be any value. */
function expectStart(location: string, file: string, id: string, spec: ProviderCase): Record<string, string> {
  const url = new URL(location)
  const found = Object.fromEntries(url.searchParams)
  const secret = "the attempt's own"
  const attempt = {
    ...(spec.checks.includes("state") && { state: secret }),
    ...(spec.checks.includes("pkce") && { code_challenge: secret, code_challenge_method: "S256" }),
    ...(spec.checks.includes("nonce") && { nonce: secret }),
  }
  const standard = {
    response_type: "code",
    client_id: CLIENT.clientId,
    redirect_uri: `http://app.test/auth/callback/${id}`,
  }
  const expected = withoutUndefined({ ...standard, ...spec.start.params, ...attempt })
  const shown = Object.fromEntries(
    Object.entries(found).map(([name, value]) => [name, expected[name] === secret ? secret : value]),
  )
  expect({ file, url: url.origin + url.pathname + url.hash, params: shown }).toEqual({
    file,
    url: spec.start.url,
    params: expected,
  })
  return found
}

/** The vendor's responses to the calls of one sign-in. */
async function vendorAnswers(
  spec: ProviderCase,
  started: Record<string, string>,
): Promise<Record<string, VendorAnswer>> {
  const { discovery, claims, token, api = {}, idTokenAlg = "RS256" } = spec
  const now = Math.floor(Date.now() / 1000)
  const standard = { iss: discovery?.document["issuer"], aud: CLIENT.clientId, iat: now, exp: now + 600 }
  const all = { ...standard, ...(started["nonce"] && { nonce: started["nonce"] }), ...claims }
  const body = { ...token.answer, ...(claims && { id_token: await signToken(all, idTokenAlg) }) }
  return {
    ...(discovery && {
      [`GET ${discovery.url}`]: { body: discovery.document },
      [`GET ${discovery.document["jwks_uri"]}`]: { body: await jwks() },
    }),
    [`${token.method ?? "POST"} ${token.url}`]: { body, ...(token.status && { status: token.status }) },
    ...Object.fromEntries(await Promise.all(Object.entries(api).map(toSent))),
  }
}

async function toSent([name, { signedWith, ...answer }]: [string, ApiAnswer]): Promise<[string, VendorAnswer]> {
  if (!signedWith) return [name, answer]
  return [name, { ...answer, type: "application/jwt", body: await signToken({ ...Object(answer.body) }, signedWith) }]
}

/** Checks the client authentication and the parameters of the token request. */
function expectTokenRequest(id: string, spec: ProviderCase): void {
  const { token, checks } = spec
  const { auth = "basic", form } = token
  const call = internet.calls.find(({ name }) => name === `${token.method ?? "POST"} ${token.url}`)
  const pair = `${encodeURIComponent(CLIENT.clientId)}:${encodeURIComponent(CLIENT.clientSecret)}`
  const expected = withoutUndefined({
    grant_type: "authorization_code",
    code: CODE,
    redirect_uri: `http://app.test/auth/callback/${id}`,
    ...(checks.includes("pkce") && { code_verifier: expect.stringMatching(/^[\w-]{43}$/) }),
    ...(auth === "none" && { client_id: CLIENT.clientId }),
    ...(auth === "post" && { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret }),
    ...form,
  })
  const headers = {
    ...(auth === "basic" && { authorization: `Basic ${Buffer.from(pair).toString("base64")}` }),
    ...token.sent,
  }
  if (token.method !== "GET") {
    const isJson = call?.headers["content-type"]?.includes("json")
    expect(isJson ? JSON.parse(call?.body ?? "") : Object.fromEntries(new URLSearchParams(call?.body))).toEqual(
      expected,
    )
  }
  expect(call?.headers).toMatchObject(headers)
  if (auth !== "basic" && !token.sent?.["authorization"]) expect(call?.headers).not.toHaveProperty("authorization")
}

function expectApiCalls(spec: ProviderCase): void {
  for (const [name, { sent: { authorization: own, ...sent } = {}, sentBody }] of Object.entries(spec.api ?? {})) {
    const call = internet.calls.find((made) => made.name === name)
    const authorization = own ?? `Bearer ${spec.token.answer["access_token"]}`
    expect({ name, ...call?.headers }).toMatchObject({ name, ...sent, ...(authorization && { authorization }) })
    if (!authorization) expect(call?.headers).not.toHaveProperty("authorization")
    if (sentBody !== undefined) expect(call?.body).toBe(sentBody)
  }
}

interface Signed {
  readonly user: User
  readonly account: Account
  readonly profile: Profile
}

/** An application with one provider, and the sign-ins of which its callback was notified. */
interface Site extends RecordingLogger {
  readonly app: RunningApp
  readonly provider: ProviderObject
  readonly signed: Signed[]
}

describeServer("the catalogue", "Auth()", (start) => {
  async function site(provider: Provider): Promise<Omit<Site, "provider">> {
    const signed: Signed[] = []
    const recorder = recordingLogger()
    const config: AuthConfig = {
      secret: TEST_SECRET,
      providers: [provider],
      logger: recorder.logger,
      callbacks: {
        signIn({ user, account, profile }) {
          if (account && profile) signed.push({ user, account, profile })
          return true
        },
      },
    }
    return { app: await start(config), signed, ...recorder }
  }

  /** Configures the provider by options. A call that does not use the provider's custom fetch fails. */
  async function fromOptions(file: string, spec: ProviderCase): Promise<Site> {
    const factory = await loadFactory(file)
    const provider = factory({ ...CLIENT, ...spec.options, [customFetch]: internet.fetch })
    globalThis.fetch = async (input) => {
      throw new Error(`a call did not use the provider's custom fetch: ${String(input)}`)
    }
    return { ...(await site(provider)), provider }
  }

  /** Configures the provider by environment variables only. */
  async function fromEnvironment(file: string): Promise<Provider> {
    const config: AuthConfig = { providers: [await loadFactory(file)] }
    setEnvDefaults(process.env, config)
    const [provider] = config.providers ?? []
    if (!provider) throw new Error(`${file} is not among the providers`)
    return provider
  }

  const begin = async (browser: Browser, id: string): Promise<Page> =>
    browser.post(`/auth/signin/${id}`, { csrfToken: await browser.csrf(), callbackUrl: "/me" })

  /** The vendor sends the browser back to the application. */
  async function returnToApplication(
    browser: Browser,
    id: string,
    started: Record<string, string>,
    spec: ProviderCase,
  ): Promise<Page> {
    const document = spec.discovery?.document
    const answer = {
      code: CODE,
      ...(started["state"] && { state: started["state"] }),
      ...(document?.["authorization_response_iss_parameter_supported"] === true && { iss: String(document["issuer"]) }),
    }
    const path = `/auth/callback/${id}`
    const from = new URL(spec.start.url).origin
    if (started["response_mode"] !== "form_post") return browser.get(`${path}?${new URLSearchParams(answer)}`, { from })
    // The reply to the POST redirects to a GET, because the browser sends its cookies only with the GET.
    return browser.get((await browser.post(path, answer, { from })).location)
  }

  async function signIn(file: string, spec: ProviderCase): Promise<Site & { page: Page; session: unknown }> {
    const found = await fromOptions(file, spec)
    const browser = found.app.browser()
    // The first part of a sign-in needs only the discovery document, which does not depend on the nonce.
    internet.answer(await vendorAnswers(spec, {}))
    const { location } = await begin(browser, found.provider.id)
    const started = Object.fromEntries(new URL(location).searchParams)
    const answers = await vendorAnswers(spec, started)
    const before = internet.calls.map(({ name }) => name)
    internet.answer(answers)
    const page = await returnToApplication(browser, found.provider.id, started, spec)
    const asked = [...before, ...internet.calls.map(({ name }) => name)]
    expect({ asked: asked.filter((name) => !answers[name]), log: found.records.map(({ code }) => code) }).toEqual({
      asked: [],
      log: spec.warnings ?? [],
    })
    const session: unknown = await (await browser.get("/me")).json()
    return { ...found, page, session }
  }

  describe.each(CATALOGUE)("%s", (file) => {
    let spec: ProviderCase
    beforeAll(async () => {
      spec = await loadCase(file)
    })

    it("sends the documented authorization request, with options and with environment variables", async () => {
      const { app, provider } = await fromOptions(file, spec)
      internet.answer(await vendorAnswers(spec, {}))
      expectStart((await begin(app.browser(), provider.id)).location, file, provider.id, spec)

      const prefix = `AUTH_${provider.id.toUpperCase().replaceAll("-", "_")}`
      const issuer = spec.options?.["issuer"]
      const variables: Record<string, string> = {
        [`${prefix}_ID`]: CLIENT.clientId,
        [`${prefix}_SECRET`]: CLIENT.clientSecret,
        ...(issuer !== undefined && { [`${prefix}_ISSUER`]: String(issuer) }),
        ...spec.env,
      }
      Object.assign(process.env, variables)
      try {
        globalThis.fetch = internet.fetch
        const bare = await site(await fromEnvironment(file))
        expectStart((await begin(bare.app.browser(), provider.id)).location, file, provider.id, spec)
      } finally {
        for (const name of Object.keys(variables)) delete process.env[name]
      }
    })

    it("is accepted with its options, and rejected without them by an error that names the missing variables", async () => {
      const factory = await loadFactory(file)
      const configured = (options: object) => authMiddleware({ secret: TEST_SECRET, providers: [factory(options)] })
      expect(() => configured({ ...CLIENT, ...spec.options })).not.toThrow()
      const prefix = `AUTH_${factory({ ...CLIENT, ...spec.options })
        .id.toUpperCase()
        .replaceAll("-", "_")}`
      expect(() => configured({})).toThrow(`Set ${prefix}_ID, or write`)
      if (spec.options?.["issuer"] !== undefined)
        expect(() => configured({ ...CLIENT, ...spec.options, issuer: undefined })).toThrow(
          new RegExp(`[Ss]et ${prefix}_ISSUER`),
        )
    })

    it("signs in with the responses that the vendor documents", async () => {
      const { page, signed, session, provider } = await signIn(file, spec)
      expect(page.location).toBe("http://app.test/me")
      const { id, ...person } = spec.user
      expect(signed[0]?.account).toMatchObject({ provider: provider.id, providerAccountId: id })
      const { name = null, email = null, image = null } = { ...signed[0]?.user }
      expect({ name, email, image }).toEqual({ ...person, email: person.email?.toLowerCase() ?? null })
      expect(session).toMatchObject({ user: { name } })
      expect(signed[0]?.profile.email_verified).toBe(spec.emailVerified ?? spec.claims?.["email_verified"])
      expectTokenRequest(provider.id, spec)
      expectApiCalls(spec)
      expect(String(valueAt(signed[0]?.profile, spec.id))).toBe(id)
    })

    it("logs the vendor's message if the vendor rejects the code", async () => {
      const { status, body, type } = { ...getRefusal(spec) }
      const found = await fromOptions(file, spec)
      const browser = found.app.browser()
      internet.answer(await vendorAnswers(spec, {}))
      const { location } = await begin(browser, found.provider.id)
      const started = Object.fromEntries(new URL(location).searchParams)
      const { method = "POST", url } = spec.token
      const refused = { status, body, ...(type && { type }) }
      internet.answer({ ...(await vendorAnswers(spec, started)), [`${method} ${url}`]: refused })
      const page = await returnToApplication(browser, found.provider.id, started, spec)
      expect(page.location).toContain("error=OAuthCallbackError")
      expect(await (await browser.get("/me")).json()).toBeNull()
      expect(found.records.map(({ code }) => code)).toEqual([...(spec.warnings ?? []), "OAuthCallbackError"])
      expect(found.records.at(-1)?.level).toBe("error")
      expect(found.text()).not.toContain(CLIENT.clientSecret)
      const messages = collectTexts(body).filter((text) => text.includes(" "))
      expect({
        messages,
        isLogged:
          messages.length === 0 || messages.some((text) => found.text().includes(text.replaceAll(CODE, "[masked]"))),
      }).toEqual({
        messages,
        isLogged: true,
      })
    })

    it("maps incomplete profiles, and creates no account without an id", async () => {
      const { signed, provider } = await signIn(file, spec)
      const profile = signed[0]?.profile
      const mapping = "profile" in provider ? provider.profile : undefined
      // The core maps the standard claims of OpenID Connect.
      if (!profile || !mapping) return
      const map = async (value: unknown): Promise<User> =>
        mapping(value, { access_token: "at" }, { tokens: {}, provider: {}, fetch: () => Promise.reject() })
      const others = partsOf(profile).filter((path) => !`${spec.id}.`.startsWith(`${path}.`))
      const left = [
        ...others.map((path) => [path, without(profile, [path])] as const),
        ...others.map((path) => [path, without(profile, [path], null)] as const),
        ["everything", without(profile, others)] as const,
        ["everything", without(profile, others, null)] as const,
      ]
      for (const [missing, value] of left) {
        const user = await map(value).catch((error: unknown) => ({ id: "", error }))
        expect({ missing, ...user, isClean: isClean(user) }).toMatchObject({ missing, id: spec.user.id, isClean: true })
      }
      for (const { profile: other, user } of spec.also ?? []) expect(await map(other)).toMatchObject(user)
      for (const none of [undefined, null, ""]) {
        await expect(map(without(profile, [spec.id], none))).rejects.toThrow(provider.name)
      }
    })

    it("sends the authorization request that its options require", async () => {
      for (const { options, start: other, discovery = spec.discovery } of spec.variants ?? []) {
        const varied = {
          ...spec,
          ...(discovery && { discovery }),
          options: { ...spec.options, ...options },
          start: { url: other.url ?? spec.start.url, params: { ...spec.start.params, ...other.params } },
        }
        const { app, provider } = await fromOptions(file, varied)
        internet.answer(await vendorAnswers(varied, {}))
        expectStart((await begin(app.browser(), provider.id)).location, file, provider.id, varied)
      }
    })

    it("maps a profile to the same user as Auth.js, unless a difference is listed", async () => {
      if (!isOfAuthJs(file)) return
      const { signed, provider } = await signIn(file, spec)
      const theirs = (await loadTheirs(file))({ ...CLIENT, ...spec.options })
      const [profile, tokens] = [structuredClone(signed[0]?.profile), { access_token: "at" }]
      globalThis.fetch = async () => new Response(null, { status: 404 })
      // Some providers of Auth.js can't parse the current responses of their vendors.
      const mapped: unknown = await (async () => theirs.profile?.(profile, tokens))().catch(() => ({}))
      const isSame = !("profile" in provider) === !mapped && (!mapped || isDeepStrictEqual(readUser(mapped), spec.user))
      expect(isSame).toBe(spec.differs?.user === undefined)
    })
  })
})

/** Every string in a response. Those with a space are messages, the others codes. */
const collectTexts = (value: unknown): string[] =>
  typeof value === "string" ? [value] : Object.values(Object(value)).flatMap(collectTexts)

/** The members of a user that a case describes. */
function readUser(user: unknown): ProviderCase["user"] {
  const { id, name = null, email = null, image = null } = Object(user)
  return { id: String(id), name, email, image }
}

/** The vendor's documented response to an unknown code, or else a response as in RFC 6749 §5.2. */
const getRefusal = ({ token }: ProviderCase) =>
  token.refusal ?? { status: 400, body: { error: "invalid_grant", error_description: "the code is not known" } }

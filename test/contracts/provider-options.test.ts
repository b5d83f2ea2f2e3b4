/**
 * Options of single providers in complete sign-ins: Google's `hd`, Apple's key.
 *
 * @module
 */
import { generateKeyPairSync } from "node:crypto"
import { decodeProtectedHeader, importSPKI, jwtVerify } from "jose"
import type { OIDCConfig, TokenRequestContext } from "../../lib/provider-kit/provider.js"
import Apple, { type AppleProfile } from "../../lib/providers/apple.js"
import Google from "../../lib/providers/google.js"
import { describeServer, recordingLogger, TEST_SECRET } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"

const CLIENT = { clientId: "the-client", clientSecret: "the-client's-secret" }

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider(CLIENT)
})
afterEach(() => {
  op.reset()
  op.requests.length = 0
})
afterAll(() => op.close())

type Options = NonNullable<Parameters<typeof Google>[0]>

describeServer("google with the option hd", "Auth()", (start) => {
  /** A Google provider whose issuer is the local server. */
  const google = (hd: string | string[], options: Options) => Google({ ...CLIENT, issuer: op.base, hd, ...options })

  async function signIn(hd: string | string[], claims: Record<string, unknown>, options: Options = {}) {
    const { logger, records } = recordingLogger()
    const app = await start({ secret: TEST_SECRET, providers: [google(hd, options)], logger })
    const browser = app.browser()
    op.set({ claims: (standard) => ({ ...standard, ...claims }) })
    const { location } = await browser.post("/auth/signin/google", { csrfToken: await browser.csrf() })
    const requestedDomain = new URL(location).searchParams.get("hd")
    const page = await browser.get(await op.authorize(location), { from: op.base })
    const session: unknown = await (await browser.get("/me")).json()
    return { requestedDomain, location: page.location, session, records }
  }

  it.each<[string | string[], string, string]>([
    ["example.com", "example.com", "example.com"],
    ["Example.COM", "example.com", "example.com"],
    [["example.com", "example.org"], "*", "example.org"],
    ["*", "*", "anything.example"],
  ])("hd %j requests %s and accepts an account of %s", async (hd, requestedDomain, own) => {
    const found = await signIn(hd, { hd: own })
    expect(found).toMatchObject({ requestedDomain, session: { user: {} }, records: [] })
  })

  it.each<[string | string[], unknown]>([
    ["example.com", "example.org"],
    ["example.com", undefined],
    ["example.com", ""],
    ["example.com", "sub.example.com"],
    [["example.com", "example.org"], "example.net"],
    ["*", undefined],
  ])("hd %j rejects an account of %j with AccessDenied", async (hd, own) => {
    const found = await signIn(hd, { hd: own })
    expect(found.location).toContain("error=AccessDenied")
    expect(found.session).toBeNull()
    expect(found.records.map(({ code }) => code)).toEqual(["AccessDenied"])
  })

  it.each<[unknown, boolean, boolean]>([
    ["example.com", true, true],
    ["example.com", false, false],
    ["example.org", true, false],
    [undefined, true, false],
  ])("an account of %j with isAllowed returning %j is accepted: %j", async (own, answer, isAccepted) => {
    const { session } = await signIn("example.com", { hd: own }, { isAllowed: async () => answer })
    expect(session).toEqual(isAccepted ? expect.objectContaining({ user: expect.anything() }) : null)
  })

  it.each<{ hd: string | string[] }>([{ hd: "" }, { hd: " " }, { hd: [] }, { hd: ["example.com", ""] }])(
    "hd %j is rejected when the provider is created",
    ({ hd }) => {
      expect(() => Google({ hd })).toThrow('Write { hd: "example.com" }')
    },
  )

  it("hd adds no check of accounts if it is undefined", () => {
    expect(Google({ hd: undefined })).not.toHaveProperty("isAllowed")
  })
})

describeServer("isAllowed", "Auth()", (start) => {
  it.each([true, false])("is awaited if it returns a promise of %s", async (answer) => {
    const { logger, records } = recordingLogger()
    const provider = op.oidc({ isAllowed: async () => answer })
    const app = await start({ secret: TEST_SECRET, providers: [provider], logger })
    const browser = app.browser()
    const { location } = await browser.post(`/auth/signin/${provider.id}`, { csrfToken: await browser.csrf() })
    await browser.get(await op.authorize(location), { from: op.base })
    const session: unknown = await (await browser.get("/me")).json()
    expect(session !== null).toBe(answer)
    expect(records.map(({ code }) => code)).toEqual(answer ? [] : ["AccessDenied"])
  })
})

describeServer("apple's client secret from a key", "Auth()", (start) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  })
  const KEY = { teamId: "TEAM123456", keyId: "KEY1234567", privateKey }

  const VARIABLES = {
    AUTH_APPLE_ID: "com.example.web",
    AUTH_APPLE_TEAM_ID: KEY.teamId,
    AUTH_APPLE_KEY_ID: KEY.keyId,
    AUTH_APPLE_PRIVATE_KEY: privateKey.replaceAll("\n", "\\n"),
  }
  afterEach(() => {
    const otherVariables = ["AUTH_APPLE_SECRET", "AUTH_STAFF_KEY_ID", "AUTH_STAFF_SECRET"]
    for (const name of [...Object.keys(VARIABLES), ...otherVariables]) delete process.env[name]
  })

  const getClientSecret = (provider: OIDCConfig<AppleProfile>) => {
    const secret = { ...provider, ...provider.options }.clientSecret
    return typeof secret === "function" ? secret({ clientId: "com.example.web" }) : secret
  }

  async function expectSecret(secret: string | undefined): Promise<void> {
    const options = { audience: "https://appleid.apple.com", issuer: KEY.teamId, subject: "com.example.web" }
    const { payload } = await jwtVerify(secret ?? "", await importSPKI(publicKey, "ES256"), options)
    expect(Number(payload.exp) - Number(payload.iat)).toBe(300)
    expect(decodeProtectedHeader(secret ?? "")).toEqual({ alg: "ES256", kid: KEY.keyId })
  }

  it("is a JWT as Apple specifies, from options or the environment", async () => {
    await expectSecret(await getClientSecret(Apple({ clientId: "com.example.web", ...KEY })))
    Object.assign(process.env, VARIABLES)
    await expectSecret(await getClientSecret(Apple()))
  })

  it("is created anew for each token request", async () => {
    const accepted: string[] = []
    // The request fails later; only its secret matters.
    const provider = Apple({
      ...KEY,
      clientId: CLIENT.clientId,
      issuer: op.base,
      authorization: { params: { response_mode: "query" } },
    })
    const app = await start({ secret: TEST_SECRET, providers: [provider], logger: recordingLogger().logger })
    for (const _ of [1, 2]) {
      const browser = app.browser()
      const { location } = await browser.post("/auth/signin/apple", { csrfToken: await browser.csrf() })
      await browser.get(await op.authorize(location), { from: op.base })
      accepted.push(op.requests.findLast(({ endpoint }) => endpoint === "token")?.form["client_secret"] ?? "")
    }
    for (const secret of accepted)
      await jwtVerify(secret, await importSPKI(publicKey, "ES256"), { subject: CLIENT.clientId })
    expect(new Set(accepted).size).toBe(2)
  })

  it("is not used if the application sets a secret", async () => {
    Object.assign(process.env, VARIABLES)
    expect(await getClientSecret(Apple({ clientSecret: "own" }))).toBe("own")
    process.env["AUTH_APPLE_SECRET"] = "own"
    expect(Apple()).not.toHaveProperty("clientSecret")
  })

  it("reads the variables of a custom id first, then the default ones", async () => {
    Object.assign(process.env, VARIABLES, { AUTH_STAFF_KEY_ID: "ANOTHER123" })
    const staff = Apple({ id: "staff" })
    expect(decodeProtectedHeader((await getClientSecret(staff)) ?? "")).toEqual({ alg: "ES256", kid: "ANOTHER123" })
    // A ready-made secret belongs to one client, so the default id's secret is not used.
    process.env["AUTH_APPLE_SECRET"] = "own"
    expect(Apple({ id: "staff" })).toHaveProperty("clientSecret")
    process.env["AUTH_STAFF_SECRET"] = "the staff's"
    expect(Apple({ id: "staff" })).not.toHaveProperty("clientSecret")
    expect(() => Apple({ id: "staff", teamId: "a" })).toThrow("Set AUTH_STAFF_KEY_ID and AUTH_STAFF_PRIVATE_KEY, or")
  })

  it.each([
    [{ teamId: "a", keyId: "b" }, "privateKey", "AUTH_APPLE_PRIVATE_KEY"],
    [{ teamId: "a", privateKey }, "keyId", "AUTH_APPLE_KEY_ID"],
    [{ keyId: "b", privateKey }, "teamId", "AUTH_APPLE_TEAM_ID"],
    [{ privateKey }, "teamId and keyId", "AUTH_APPLE_TEAM_ID and AUTH_APPLE_KEY_ID"],
    [{ teamId: "a" }, "keyId and privateKey", "AUTH_APPLE_KEY_ID and AUTH_APPLE_PRIVATE_KEY"],
    [{ keyId: "b" }, "teamId and privateKey", "AUTH_APPLE_TEAM_ID and AUTH_APPLE_PRIVATE_KEY"],
  ])("requires all values and names the missing ones (%#)", (options, names, variables) => {
    expect(() => Apple(options)).toThrow(
      `Apple: ${names} is missing: teamId, keyId and privateKey are needed together. ` +
        `Set ${variables}, or write { teamId: "…", keyId: "…", privateKey: "…" }`,
    )
  })

  it.each([
    "",
    "no key",
    generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  ])("rejects an invalid key without logging it (%#)", (wrong) => {
    const build = () => Apple({ ...KEY, privateKey: wrong })
    expect(build).toThrow(wrong === "" ? "AUTH_APPLE_PRIVATE_KEY" : "-----BEGIN PRIVATE KEY-----")
    if (wrong) expect(build).not.toThrow(wrong)
  })
})

describeServer("a custom token request", "Auth()", (start) => {
  const own = (request: (context: TokenRequestContext) => unknown) => ({
    ...op.oauth(),
    clientSecret: async () => CLIENT.clientSecret,
    token: { url: `${op.base}/token`, request },
  })

  async function signIn(request: (context: TokenRequestContext) => unknown) {
    op.set({ plainOAuth: true })
    const { logger, records, text } = recordingLogger()
    const provider = own(request)
    const app = await start({ secret: TEST_SECRET, providers: [provider], logger })
    const browser = app.browser()
    const { location } = await browser.post(`/auth/signin/${provider.id}`, { csrfToken: await browser.csrf() })
    const page = await browser.get(await op.authorize(location), { from: op.base })
    return { location: page.location, session: await (await browser.get("/me")).json(), records, text: text() }
  }

  const requestTokens = ({ params, checks, provider, redirect_uri, fetch }: TokenRequestContext): Promise<Response> =>
    fetch(provider.token.url, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: params.code,
        redirect_uri,
        client_id: provider.clientId,
        client_secret: provider.clientSecret,
        code_verifier: checks.code_verifier ?? "",
      }),
    })

  it("receives the current secret, and may return the response or the tokens", async () => {
    expect(await signIn(requestTokens)).toMatchObject({ session: { user: {} }, records: [] })
    expect(await signIn(async (context) => ({ tokens: await (await requestTokens(context)).json() }))).toMatchObject({
      session: { user: {} },
      records: [],
    })
  })

  it("is reported with the status of a failed response, with and without JSON", async () => {
    const refused = await signIn(async () => Response.json({ error: "invalid_grant" }, { status: 400 }))
    expect(refused).toMatchObject({ session: null })
    expect(refused.text).toContain('the token endpoint answered "invalid_grant" with status 400')
    const broken = await signIn(async () => new Response("<h1>Bad gateway</h1>", { status: 502 }))
    expect(broken.text).toContain("the token endpoint answered with status 502 and no JSON")
  })
})

import {
  type CryptoKey,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from "jose"
import { challengeOf } from "../../support/faulty-provider/signing.js"
import {
  ALICE,
  type Fault,
  type FaultyProvider,
  type ProviderMode,
  startFaultyProvider,
} from "../../support/faulty-provider.js"
import { until } from "../../support/wait.js"

const REDIRECT_URI = "http://app.test/auth/callback/oidc"

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

function authorizationUrl(parameters: Record<string, string> = {}, provider = op): string {
  const always = { client_id: provider.client.clientId, redirect_uri: REDIRECT_URI, response_type: "code" }
  const query = new URLSearchParams({ ...always, scope: "openid", state: "s1", nonce: "n1", ...parameters })
  return `${provider.base}/authorize?${query}`
}

async function codeFor(parameters: Record<string, string> = {}, provider = op): Promise<string> {
  const back = new URL(await provider.authorize(authorizationUrl(parameters, provider)))
  return back.searchParams.get("code") ?? ""
}

function redeem(fields: Record<string, string>, headers: Record<string, string> = basic(), provider = op) {
  const body = new URLSearchParams({ grant_type: "authorization_code", redirect_uri: REDIRECT_URI, ...fields })
  return fetch(`${provider.base}/token`, { method: "POST", body, headers, redirect: "manual" })
}

function basic(id = op.client.clientId, secret = op.client.clientSecret): Record<string, string> {
  const [user] = new URLSearchParams({ [id]: "" }).toString().split("=")
  const [password] = new URLSearchParams({ [secret]: "" }).toString().split("=")
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` }
}

// The type is simplified: some members are not strings.
async function json(response: Response): Promise<Record<string, string>> {
  return Object(await response.json())
}

async function tokens(mode: ProviderMode = {}): Promise<Record<string, string>> {
  op.set(mode)
  return json(await redeem({ code: await codeFor() }))
}

const discover = async (provider = op) => json(await fetch(`${provider.base}/.well-known/openid-configuration`))

async function verify(idToken: string) {
  const keys = createRemoteJWKSet(new URL((await discover())["jwks_uri"] ?? ""))
  return jwtVerify(idToken, keys, { issuer: op.issuer, audience: op.client.clientId })
}

describe("the faulty provider without faults", () => {
  it("signs an id_token that its JWKS verifies", async () => {
    const { id_token = "", access_token = "" } = await tokens()
    const { payload, protectedHeader } = await verify(id_token)
    expect(payload).toMatchObject({ ...ALICE, nonce: "n1", iss: op.issuer })
    expect(payload["at_hash"]).toBe(Buffer.from(challengeOf(access_token), "base64url").toString("base64url", 0, 16))
    expect(protectedHeader).toMatchObject({ alg: "RS256", kid: expect.any(String) })
  })

  it("signs with ES256 if configured", async () => {
    const { id_token = "" } = await tokens({ alg: "ES256" })
    expect((await verify(id_token)).protectedHeader.alg).toBe("ES256")
  })

  it("publishes a single key without a kid", async () => {
    const { id_token = "" } = await tokens({ jwksKid: "absent" })
    expect(decodeProtectedHeader(id_token)).not.toHaveProperty("kid")
    await expect(verify(id_token)).resolves.toBeDefined()
  })

  it("returns code, state and iss", async () => {
    const back = new URL(await op.authorize(authorizationUrl()))
    expect(back.href.startsWith(REDIRECT_URI)).toBe(true)
    expect(Object.fromEntries(back.searchParams)).toEqual({ code: expect.any(String), state: "s1", iss: op.issuer })
  })

  it("rejects a URL that is not its authorization endpoint", async () => {
    await expect(op.authorize("http://app.test/auth/signin?error=x")).rejects.toThrow("not an authorization URL of")
    await expect(op.authorizeByForm("")).rejects.toThrow("not an authorization URL of")
  })

  it("returns code, state and iss as a form with form_post", async () => {
    const form = await op.authorizeByForm(authorizationUrl({ response_mode: "form_post", state: `"<&'` }))
    expect(form).toEqual({
      action: REDIRECT_URI,
      fields: { code: expect.any(String), state: `"<&'`, iss: op.issuer },
    })
  })

  it("returns the user of the access token, and refuses other tokens", async () => {
    const { access_token } = await tokens({ user: { sub: "bob", name: "Bob" } })
    const ask = (token = "") => fetch(`${op.base}/userinfo`, { headers: { authorization: `Bearer ${token}` } })
    expect(await (await ask(access_token)).json()).toEqual({ sub: "bob", name: "Bob" })
    expect((await ask("at-other")).status).toBe(401)
    expect(op.last("/userinfo").headers.authorization).toBe("Bearer at-other")
  })

  it("redeems a code once", async () => {
    const code = await codeFor()
    expect((await redeem({ code })).status).toBe(200)
    expect(await (await redeem({ code })).json()).toMatchObject({ error: "invalid_grant" })
    op.set({ reusableCodes: true })
    expect((await redeem({ code })).status).toBe(200)
  })

  it("redeems a refresh token once", async () => {
    const { refresh_token = "" } = await tokens()
    const refresh = () => redeem({ grant_type: "refresh_token", refresh_token })
    const { id_token = "" } = await json(await refresh())
    expect(decodeJwt(id_token)).toMatchObject({ sub: "alice" })
    expect(decodeJwt(id_token)).not.toHaveProperty("nonce")
    expect((await refresh()).status).toBe(400)
  })

  it("checks the PKCE verifier and the redirect URI", async () => {
    const verifier = "v".repeat(43)
    const challenge = { code_challenge: challengeOf(verifier), code_challenge_method: "S256" }
    const statuses = await Promise.all([
      redeem({ code: await codeFor(challenge), code_verifier: verifier }),
      redeem({ code: await codeFor(challenge), code_verifier: "w".repeat(43) }),
      redeem({ code: await codeFor(challenge) }),
      redeem({ code: await codeFor(), code_verifier: verifier }),
      redeem({ code: await codeFor(), redirect_uri: "http://app.test/other" }),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([200, 400, 400, 400, 400])
    op.set({ checkPkce: false })
    expect((await redeem({ code: await codeFor(challenge) })).status).toBe(200)
  })

  it("counts and records requests", async () => {
    const before = op.count("/jwks")
    await fetch(`${op.base}${op.jwksPath}`)
    expect(op.count("/jwks")).toBe(before + 1)
    await redeem({ code: "none", extra: "1" })
    expect(op.last("/token")).toMatchObject({ method: "POST", path: "/token", form: { code: "none", extra: "1" } })
    expect(() => op.last("/nowhere")).toThrow("no request to /nowhere")
  })

  it("collects every secret that it sent or received", async () => {
    const code = await codeFor()
    expect((await redeem({ code, code_verifier: "sent anyhow" })).status).toBe(400)
    expect([...op.secrets]).toEqual(expect.arrayContaining([op.client.clientSecret, code, "sent anyhow"]))
  })

  it("can have an issuer with a path or with a trailing slash", async () => {
    const client = { clientId: "c", clientSecret: "s" }
    const tenant = await startFaultyProvider({ issuerPath: "/tenant", ...client })
    const slash = await startFaultyProvider({ issuerPath: "/", ...client })
    for (const provider of [tenant, slash]) {
      expect((await discover(provider))["issuer"]).toBe(provider.issuer)
      expect(provider.count("discovery")).toBe(1)
      expect((await redeem({ code: await codeFor({}, provider) }, basic("c", "s"), provider)).status).toBe(200)
      await provider.close()
    }
    expect(tenant.issuer).toMatch(/\d\/tenant$/)
    expect(slash.issuer).toMatch(/\d\/$/)
  })
})

describe("client authentication at the faulty provider", () => {
  const assertion = async (key: CryptoKey | Uint8Array, alg: string, { client, issuer } = op) => ({
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg })
      .setIssuer(client.clientId)
      .setSubject(client.clientId)
      .setAudience(issuer)
      .setExpirationTime("1m")
      .sign(key),
  })

  it("accepts the secret in the header or the form, and rejects a wrong one", async () => {
    const { clientId: client_id, clientSecret: client_secret } = op.client
    expect((await redeem({ code: await codeFor() }, basic())).status).toBe(200)
    expect(op.last("/token").clientAuth).toMatchObject({ method: "client_secret_basic", clientId: client_id })
    expect((await redeem({ code: await codeFor(), client_id, client_secret }, {})).status).toBe(200)
    expect(op.last("/token").clientAuth).toMatchObject({ method: "client_secret_post", clientSecret: client_secret })
    const refused = await redeem({ code: await codeFor() }, basic(client_id, "wrong"))
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ error: "invalid_client" })
    expect((await redeem({ code: await codeFor(), client_id }, {})).status).toBe(401)
  })

  it("records the decoded Authorization header", async () => {
    await redeem({ code: "x" }, basic("a b", "p:ss w%rd+é"))
    expect(op.last("/token").clientAuth).toEqual({
      method: "client_secret_basic",
      clientId: "a b",
      clientSecret: "p:ss w%rd+é",
      basic: "a+b:p%3Ass+w%25rd%2B%C3%A9",
    })
  })

  it("accepts client_secret_jwt", async () => {
    const secret = new TextEncoder().encode(op.client.clientSecret)
    expect((await redeem({ code: await codeFor(), ...(await assertion(secret, "HS256")) }, {})).status).toBe(200)
    expect(op.last("/token").clientAuth).toMatchObject({ method: "client_secret_jwt", clientId: op.client.clientId })
    const wrong = await assertion(new TextEncoder().encode("wrong".repeat(9)), "HS256")
    expect((await redeem({ code: await codeFor(), ...wrong }, {})).status).toBe(401)
  })

  it("accepts private_key_jwt by the registered key, and a public client", async () => {
    const [own, other] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")])
    const client = { clientId: op.client.clientId, clientPublicKey: await exportJWK(own.publicKey) }
    const provider = await startFaultyProvider({ ...client, isPublic: true })
    const send = async (fields: Record<string, string>) =>
      (await redeem({ code: await codeFor({}, provider), ...fields }, {}, provider)).status
    expect(await send(await assertion(own.privateKey, "ES256", provider))).toBe(200)
    expect(provider.last("/token").clientAuth?.method).toBe("private_key_jwt")
    expect(await send(await assertion(other.privateKey, "ES256", provider))).toBe(401)
    expect(await send({ client_id: client.clientId })).toBe(200)
    await provider.close()
  })
})

describe("faults of the faulty provider", () => {
  const [FORGED, UNKNOWN_KEY] = ["ERR_JWS_SIGNATURE_VERIFICATION_FAILED", "ERR_JWKS_NO_MATCHING_KEY"]
  const UNUSABLE = "ERR_JOSE_NOT_SUPPORTED"
  const bad: [ProviderMode, string][] = [
    [{ sig: "other-key" }, FORGED],
    [{ sig: "stripped" }, FORGED],
    [{ kid: "unknown" }, UNKNOWN_KEY],
    [{ kid: "a kid of mine" }, UNKNOWN_KEY],
    [{ alg: "none" }, UNUSABLE],
    [{ alg: "None" }, UNUSABLE],
    [{ alg: "nOnE" }, UNUSABLE],
    [{ alg: "HS256-secret" }, UNUSABLE],
    [{ alg: "HS256-public-key" }, UNUSABLE],
    [{ alg: "ES256-bad" }, FORGED],
    [{ alg: "ES256", sig: "other-key" }, FORGED],
  ]
  it.each(bad)("include a wrong signature: %j", async (mode, code) => {
    const { id_token = "" } = await tokens(mode)
    expect(decodeJwt(id_token)).toMatchObject({ sub: "alice" })
    await expect(verify(id_token)).rejects.toMatchObject({ code })
  })

  it("include a signature by another key under the published kid", async () => {
    const { id_token: valid = "" } = await tokens()
    const { id_token: forged = "" } = await tokens({ sig: "other-key" })
    expect(decodeProtectedHeader(forged)).toEqual(decodeProtectedHeader(valid))
  })

  it("include HS256 with the client secret or with the public key", async () => {
    const pem = op.keys.rsa.publicKey.export({ type: "spki", format: "pem" })
    const secrets = { "HS256-secret": op.client.clientSecret, "HS256-public-key": String(pem) } as const
    for (const alg of ["HS256-secret", "HS256-public-key"] as const) {
      const { id_token = "" } = await tokens({ alg })
      await expect(jwtVerify(id_token, new TextEncoder().encode(secrets[alg]))).resolves.toBeDefined()
    }
  })

  it("include a missing kid", async () => {
    const { id_token = "" } = await tokens({ kid: "absent" })
    expect(decodeProtectedHeader(id_token)).toEqual({ alg: "RS256", typ: "JWT" })
  })

  it("include rotated keys, with or without the old one", async () => {
    const { id_token = "" } = await tokens()
    await op.rotateKeys({ keepOld: true })
    await expect(verify(id_token)).resolves.toBeDefined()
    await op.rotateKeys()
    await expect(verify(id_token)).rejects.toThrow()
    await expect(verify((await tokens())["id_token"] ?? "")).resolves.toBeDefined()
  })

  it("include changed claims, metadata, token responses and clock", async () => {
    const { id_token = "", token_type } = await tokens({
      claims: ({ sub: _, ...claims }) => ({ ...claims, azp: "other" }),
      discovery: (document) => ({ ...document, issuer: "https://evil.test" }),
      token: (answer) => ({ ...answer, token_type: "mac" }),
      clockOffsetSeconds: -7200,
      advertiseNone: true,
    })
    const claims = decodeJwt(id_token)
    expect(claims).toMatchObject({ azp: "other" })
    expect(claims).not.toHaveProperty("sub")
    expect(Math.abs((claims.iat ?? 0) + 7200 - Date.now() / 1000)).toBeLessThan(5)
    expect(token_type).toBe("mac")
    expect(await discover()).toMatchObject({
      issuer: "https://evil.test",
      id_token_signing_alg_values_supported: expect.arrayContaining(["none"]),
    })
  })

  it("include changed redirect parameters", async () => {
    op.set({ authorizationResponse: ({ state }) => ({ error: "access_denied", state, iss: undefined }) })
    const back = new URL(await op.authorize(authorizationUrl()))
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: "access_denied", state: "s1" })
  })

  it("include a missing id_token, and plain OAuth", async () => {
    expect(await tokens({ omitIdToken: true })).not.toHaveProperty("id_token")
    const { access_token, id_token } = await tokens({ plainOAuth: true, omitIdToken: false })
    expect(id_token).toBeUndefined()
    expect((await fetch(`${op.base}/.well-known/openid-configuration`)).status).toBe(404)
    const headers = { authorization: `Bearer ${access_token}` }
    const ask = async () => (await fetch(`${op.base}/userinfo`, { headers })).json()
    expect(await ask()).toMatchObject({ id: 4711, login: "alice" })
    op.set({ userinfo: [1] })
    expect(await ask()).toEqual([1])
    op.set({ userinfo: (user) => ({ ...user, id: null }) })
    expect(await ask()).toMatchObject({ id: null, login: "alice" })
  })
})

describe("outages of the faulty provider", () => {
  const outage = (fault: Fault) => op.set({ fault: { discovery: fault } })
  const fetchDiscovery = (signal?: AbortSignal) =>
    fetch(`${op.base}/.well-known/openid-configuration`, signal ? { signal } : {})

  it("include any status", async () => {
    outage({ status: 503, body: { error: "server_error" }, headers: { "retry-after": "7" } })
    const answer = await fetchDiscovery()
    expect([answer.status, answer.headers.get("retry-after"), await answer.json()]).toEqual([
      503,
      "7",
      { error: "server_error" },
    ])
  })

  it("include HTML, truncated JSON, an empty body and a wrong content type", async () => {
    const answers: [Fault, string | null][] = [
      ["html", "text/html; charset=utf-8"],
      ["malformed", "application/json"],
      ["empty", "application/json"],
    ]
    for (const [fault, type] of answers) {
      outage(fault)
      const answer = await fetchDiscovery()
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type])
      await expect(answer.json()).rejects.toThrow(/JSON/)
    }
    outage("wrong-type")
    const mistyped = await fetchDiscovery()
    expect(mistyped.headers.get("content-type")).toBe("text/plain")
    expect(await mistyped.json()).toMatchObject({ issuer: op.issuer })
  })

  it("include a reset connection", async () => {
    outage("reset")
    await expect(fetchDiscovery()).rejects.toMatchObject({ cause: { code: "ECONNRESET" } })
  })

  it("include a response that never arrives, and record that the client aborts the request", async () => {
    outage("hang")
    const controller = new AbortController()
    const before = op.count("discovery")
    const answer = fetchDiscovery(controller.signal)
    await until(() => op.count("discovery") > before)
    expect(op.last("discovery").isAborted).toBe(false)
    controller.abort()
    await expect(answer).rejects.toThrow("aborted")
    await until(() => op.last("discovery").isAborted)
  })

  it("include a response that arrives byte by byte", async () => {
    outage("drip")
    const controller = new AbortController()
    const reader = (await fetchDiscovery(controller.signal)).body?.getReader()
    expect((await reader?.read())?.value).toHaveLength(1)
    expect((await reader?.read())?.value).toHaveLength(1)
    controller.abort()
    await until(() => op.last("discovery").isAborted)
  })

  it("include an endless response, which stops when the client aborts the request", async () => {
    outage("huge")
    const controller = new AbortController()
    const reader = (await fetchDiscovery(controller.signal)).body?.getReader()
    let size = 0
    while (size < 2_000_000) size += (await reader?.read())?.value?.byteLength ?? Number.NaN
    controller.abort()
    await until(() => op.last("discovery").isAborted)
  })

  it("include a late response", async () => {
    outage({ delayMs: 60 })
    const start = performance.now()
    expect((await fetchDiscovery()).status).toBe(200)
    expect(performance.now() - start).toBeGreaterThan(55)
  })

  it("do not prevent close()", async () => {
    const provider = await startFaultyProvider({ mode: { fault: { jwks: "hang", discovery: "drip" } } })
    const hanging = fetch(provider.base + provider.jwksPath)
    const dripping = await fetch(`${provider.base}/.well-known/openid-configuration`)
    const outcomes = Promise.allSettled([hanging, dripping.text()])
    await until(() => provider.count("/jwks") === 1)
    await provider.close()
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"])
    await provider.close()
  })
})

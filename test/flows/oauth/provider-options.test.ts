import { exportJWK, generateKeyPair } from "jose"
import { customFetch } from "../../../lib/index.js"
import type { OAuth2Config, OIDCConfig } from "../../../lib/provider-kit/provider.js"
import type { TokenSet } from "../../../lib/types.js"
import { describeServers } from "../../support/apps.js"
import { type Claims, type FaultyProviderOptions, startFaultyProvider } from "../../support/faulty-provider.js"
import { expectRefused } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import {
  begin,
  openCallback,
  param,
  type Site,
  type SiteOptions,
  sessionOf,
  signIn,
  startSite,
} from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

type RequestContext = { fetch: typeof fetch; tokens: TokenSet; provider: { userinfo?: { url: URL } } }

/** The account of the latest `signIn` event. */
const latestAccount = ({ events }: Site): Claims =>
  Object(Object(events.filter(({ name }) => name === "signIn").at(-1)?.message).account)

describeServers("OAuth 2 provider", (start, stage) => {
  const createSite = (provider: Partial<OAuth2Config> = {}, more: SiteOptions = {}) =>
    startSite(
      { start, stage, op },
      { mode: { plainOAuth: true }, providers: [op.oauth({ ...provider, id: "oidc" })], ...more },
    )

  /** Signs in and returns the user of the session. */
  async function signInUser(site: Site) {
    const browser = site.app.browser()
    await signIn(browser, op)
    expect(site.failures()).toEqual([])
    return (await sessionOf(browser))?.user
  }

  it("signs in with the userinfo endpoint, without discovery", async () => {
    const site = await createSite()
    expect(await signInUser(site)).toMatchObject({ name: "Alice", email: "alice@example.com" })
    expect([op.count("discovery"), op.count("/jwks"), op.count("/userinfo")]).toEqual([0, 0, 1])
    expect(latestAccount(site)).toMatchObject({
      provider: "oidc",
      type: "oauth",
      providerAccountId: "4711",
      token_type: "bearer",
    })
    expect(op.last("/userinfo").headers.authorization).toBe(`Bearer ${latestAccount(site)["access_token"]}`)
  })

  it("accepts endpoints as objects with parameters", async () => {
    const site = await createSite({
      authorization: {
        url: `${op.base}/authorize`,
        params: { scope: "read:user", claims: { a: 1 }, left_out: undefined },
      },
      userinfo: { url: `${op.base}/userinfo`, params: { fields: "id,name" } },
      token: { url: `${op.base}/token`, params: { version: 2 } },
    })
    expect(await signInUser(site)).toMatchObject({ name: "Alice" })
    expect(op.last("/authorize").query).toMatchObject({ scope: "read:user", claims: '{"a":1}' })
    expect(op.last("/authorize").query).not.toHaveProperty("left_out")
    expect([op.last("/userinfo").query, op.last("/token").query]).toEqual([{ fields: "id,name" }, { version: "2" }])
  })

  it("accepts a custom userinfo request", async () => {
    const request = async ({ fetch: send, tokens, provider }: RequestContext) => {
      const answer = await send(provider.userinfo?.url ?? "", {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      })
      return { ...Object(await answer.json()), name: "By a custom request" }
    }
    const site = await createSite({ userinfo: { url: `${op.base}/userinfo`, request } })
    expect(await signInUser(site)).toMatchObject({ name: "By a custom request" })
  })

  it("accepts a custom token request", async () => {
    const contexts: Claims[] = []
    const request = async (context: {
      params: Record<string, string>
      checks: Claims
      redirect_uri: string
      fetch: typeof fetch
    }) => {
      contexts.push({ ...context })
      const { clientId: client_id, clientSecret: client_secret } = op.client
      const { code = "" } = context.params
      const verifier = String(context.checks["code_verifier"])
      const body = new URLSearchParams({
        grant_type: "authorization_code",
        code,
        redirect_uri: context.redirect_uri,
        code_verifier: verifier,
        client_id,
        client_secret,
      })
      return { tokens: await (await context.fetch(`${op.base}/token`, { method: "POST", body })).json() }
    }
    const site = await createSite({ token: { url: `${op.base}/token`, request } })
    expect(await signInUser(site)).toMatchObject({ name: "Alice" })
    expect(contexts).toHaveLength(1)
    expect(op.last("/token").clientAuth?.method).toBe("client_secret_post")
  })

  it("accepts a conform function that fixes the token response", async () => {
    const conform = async (response: Response) => {
      const { data }: { data: Claims } = Object(await response.json())
      return Response.json({ ...data, token_type: "bearer" })
    }
    const site = await createSite(
      { token: { url: `${op.base}/token`, conform } },
      { mode: { plainOAuth: true, token: (data) => ({ data }) } },
    )
    expect(await signInUser(site)).toMatchObject({ name: "Alice" })
  })

  it("accepts an async profile callback, which gets the claims and the tokens", async () => {
    const profile = async (claims: Claims, tokens: TokenSet) => ({
      id: String(claims["id"]),
      name: `${claims["login"]} ${typeof tokens.access_token}`,
    })
    expect(await signInUser(await createSite({ profile }))).toMatchObject({ name: "alice string" })
  })

  it.each([
    [
      "throws",
      () => {
        throw new Error("no such claim")
      },
      /no such claim/,
    ],
    ["returns no id", () => ({ name: "No Id" }), /returned no id/],
    ["returns an empty id", () => ({ id: "" }), /returned no id/],
    ["returns the string undefined", () => ({ id: String(undefined) }), /returned no id/],
    ["returns nothing", () => undefined as never, /returned no id/],
  ])("rejects the sign-in if the profile callback %s", async (_, profile, reason) => {
    const site = await createSite({}, { providers: [op.oauth({ id: "oidc" }), op.oauth({ id: "odd", profile })] })
    await expectRefused(site, { attempt: (browser) => signIn(browser, op, { id: "odd" }), provider: "odd", reason })
  })

  it("ignores an id_token in the token response", async () => {
    const site = await createSite(
      {},
      { mode: { plainOAuth: true, token: (json) => ({ ...json, id_token: "not.a.token" }) } },
    )
    expect(await signInUser(site)).toMatchObject({ name: "Alice" })
  })

  it("stores the token fields that account() returns, or the default fields", async () => {
    const account = ({ access_token, custom }: TokenSet) => ({ access_token, custom })
    const token = (json: Claims) => ({ ...json, custom: "kept", authorization_details: [{ type: "t" }] })
    const mode = { plainOAuth: true, token }
    const chosen = await createSite({ account }, { sessions: "database", mode })
    await signInUser(chosen)
    expect(chosen.store?.accounts).toEqual([
      {
        access_token: expect.stringMatching(/^at-/),
        custom: "kept",
        provider: "oidc",
        providerAccountId: "4711",
        type: "oauth",
        userId: "user-1",
      },
    ])
    const byDefault = await createSite({}, { sessions: "database", mode })
    await signInUser(byDefault)
    const [kept] = byDefault.store?.accounts ?? []
    expect(Object.keys(kept ?? {}).sort()).toEqual(
      "access_token expires_at provider providerAccountId refresh_token scope token_type type userId".split(" "),
    )
  })

  it("normalizes tokens: token_type in lower case, expires_at as a time, other fields unchanged", async () => {
    const authorization_details = [{ type: "payment", actions: ["initiate"] }]
    const answers: [Claims, Claims][] = [
      [{ expires_in: 60 }, { expires_in: 60, expires_at: expect.any(Number) }],
      [{ expires_in: "60" }, { expires_in: 60, expires_at: expect.any(Number) }],
      [{ token_type: "BeArEr" }, { token_type: "bearer" }],
      [
        { authorization_details, scope: "a b", custom: { deep: [1] } },
        { authorization_details, scope: "a b", custom: { deep: [1] } },
      ],
    ]
    for (const [sent, kept] of answers) {
      const site = await createSite({}, { mode: { plainOAuth: true, token: (json) => ({ ...json, ...sent }) } })
      await signInUser(site)
      expect(latestAccount(site)).toMatchObject(kept)
      if ("expires_in" in sent)
        expect(Math.abs(Number(latestAccount(site)["expires_at"]) - Date.now() / 1000 - 60)).toBeLessThan(10)
    }
    const endless = await createSite(
      {},
      { mode: { plainOAuth: true, token: (json) => ({ ...json, expires_in: undefined }) } },
    )
    await signInUser(endless)
    expect(latestAccount(endless)).not.toHaveProperty("expires_at")
  })

  it("discovers endpoints that are not configured", async () => {
    const { clientId, clientSecret } = op.client
    const provider: OAuth2Config = {
      ...{ id: "oidc", name: "Half", type: "oauth", issuer: op.issuer, clientId, clientSecret },
      profile: ({ sub, name }) => ({ id: String(sub), name: name ?? null }),
    }
    const site = await startSite({ start, stage, op }, { providers: [provider] })
    expect(await signInUser(site)).toMatchObject({ name: "Alice" })
    expect(op.count("discovery")).toBe(1)
  })
})

describeServers("OpenID Connect provider", (start, stage) => {
  const createSite = (provider: Partial<OIDCConfig> = {}, more: SiteOptions = {}) =>
    startSite({ start, stage, op }, { providers: [op.oidc(provider)], ...more })

  it("fetches the metadata from wellKnown if it is set", async () => {
    const site = await createSite({ wellKnown: `${op.base}/.well-known/openid-configuration?tenant=7` })
    await signIn(site.app.browser(), op)
    expect([site.failures(), op.last("discovery").query]).toEqual([[], { tenant: "7" }])
  })

  it("prefers configured endpoints to discovered ones", async () => {
    const site = await createSite({
      authorization: `${op.base}/authorize?tenant=7`,
      token: `${op.base}/token?tenant=7`,
    })
    const browser = site.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    expect([op.last("/authorize").query["tenant"], op.last("/token").query["tenant"]]).toEqual(["7", "7"])
  })

  it("reads the profile from userinfo with idToken: false", async () => {
    const userinfo = (user: Claims) => ({ ...user, name: "Alice of userinfo" })
    const [byToken, byUserinfo] = [
      await createSite({}, { mode: { userinfo } }),
      await createSite({ idToken: false }, { mode: { userinfo } }),
    ]
    const [a, b] = [byToken.app.browser(), byUserinfo.app.browser()]
    await signIn(a, op)
    await signIn(b, op)
    expect((await sessionOf(a))?.user).toMatchObject({ name: "Alice" })
    expect((await sessionOf(b))?.user).toMatchObject({ name: "Alice of userinfo" })
  })

  it("sends all requests with customFetch, also under a symbol from another package", async () => {
    for (const symbol of [customFetch, Symbol("custom-fetch")]) {
      const called: string[] = []
      const own: typeof fetch = (input, init) => {
        called.push(new URL(input instanceof Request ? input.url : input).pathname)
        return fetch(input, init)
      }
      for (const provider of [{ [symbol]: own }, { options: { [symbol]: own } }]) {
        called.length = 0
        const site = await createSite({ idToken: false, ...provider } as Partial<OIDCConfig>)
        const browser = site.app.browser()
        await signIn(browser, op)
        expect(await sessionOf(browser)).not.toBeNull()
        const requestedPaths = op.requests.filter(({ endpoint }) => endpoint !== "authorize").map(({ path }) => path)
        expect(called).toEqual(requestedPaths)
        expect(called).toHaveLength(4)
      }
    }
  })

  it("limits the response size of customFetch too", async () => {
    const own: typeof fetch = async () =>
      new Response("x".repeat(2_000_000), { headers: { "content-type": "application/json" } })
    const site = await createSite({ [customFetch]: own })
    expect((await begin(site.app.browser())).location).toContain("error=OAuthCallbackError")
    expect(site.logText()).toContain("larger than 1000000 bytes")
  })

  it("uses only the configured checks", async () => {
    const expected: [NonNullable<OIDCConfig["checks"]>, string[]][] = [
      [["state"], ["state"]],
      [["pkce"], ["code_challenge", "code_challenge_method"]],
      [["nonce"], ["nonce"]],
      [["none"], []],
    ]
    for (const [checks, names] of expected) {
      const site = await createSite({ checks })
      const browser = site.app.browser()
      const { location } = await begin(browser)
      const sent = ["state", "nonce", "code_challenge", "code_challenge_method"].filter((name) => param(location, name))
      expect(sent.sort()).toEqual(names)
      await openCallback(browser, op, await op.authorize(location))
      expect(await sessionOf(browser)).not.toBeNull()
    }
  })
})

describeServers("client authentication at the token endpoint", (start, stage) => {
  async function signInAt(client: FaultyProviderOptions, provider: Partial<OIDCConfig>) {
    const strict = await startFaultyProvider(client)
    try {
      const site = await startSite({ start, stage, op: strict }, { providers: [strict.oidc(provider)] })
      const browser = site.app.browser()
      await signIn(browser, strict)
      expect([site.failures(), await sessionOf(browser)]).toEqual([[], expect.anything()])
      return {
        ...strict.last("/token"),
        issuer: strict.issuer,
        endpoint: `${strict.base}/token`,
        client: strict.client,
      }
    } finally {
      await strict.close()
    }
  }
  const authMethod = (token_endpoint_auth_method: string) => ({ client: { token_endpoint_auth_method } })
  const oddClient = { clientId: "an id: with %", clientSecret: "s:e c%r+é&t=~ that is longer than 32 bytes" }

  it("uses client_secret_basic by default", async () => {
    for (const provider of [{}, authMethod("client_secret_basic")]) {
      const { clientAuth, form } = await signInAt(oddClient, provider)
      expect(clientAuth).toMatchObject({ method: "client_secret_basic", ...oddClient })
      expect([form["client_secret"], form["client_assertion"]]).toEqual([undefined, undefined])
    }
  })

  it("supports client_secret_post", async () => {
    const { clientAuth, headers } = await signInAt(oddClient, authMethod("client_secret_post"))
    expect([clientAuth, headers.authorization]).toEqual([{ method: "client_secret_post", ...oddClient }, undefined])
  })

  it("supports a public client without a secret", async () => {
    const { clientAuth, headers, form } = await signInAt(
      { isPublic: true },
      { ...authMethod("none"), clientSecret: undefined },
    )
    expect([clientAuth?.method, headers.authorization, form["client_secret"]]).toEqual(["none", undefined, undefined])
    expect(form["code_verifier"]).toMatch(/^[\w-]{43}$/)
  })

  it("supports client_secret_jwt", async () => {
    const { clientAuth, issuer, headers, form } = await signInAt(oddClient, authMethod("client_secret_jwt"))
    expect(clientAuth).toMatchObject({ method: "client_secret_jwt", assertion: { header: { alg: "HS256" } } })
    const { iss, sub, aud, exp, iat, jti } = clientAuth?.assertion?.claims ?? {}
    expect([iss, sub, aud]).toEqual([oddClient.clientId, oddClient.clientId, issuer])
    expect([Number(exp) - Number(iat), typeof jti]).toEqual([60, "string"])
    expect([headers.authorization, form["client_secret"]]).toEqual([undefined, undefined])
    expect(form["client_assertion_type"]).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
  })

  it.each(["ES256", "RS256", "PS256"])("supports private_key_jwt with %s, with and without a kid", async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    const clientPublicKey = { ...(await exportJWK(publicKey)), alg }
    for (const [clientPrivateKey, kid] of [
      [privateKey, undefined],
      [{ key: privateKey, kid: "k1" }, "k1"],
    ] as const) {
      const provider = { ...authMethod("private_key_jwt"), clientSecret: undefined, token: { clientPrivateKey } }
      const { clientAuth, issuer, endpoint } = await signInAt({ clientPublicKey }, provider)
      expect(clientAuth?.method).toBe("private_key_jwt")
      expect([clientAuth?.assertion?.header["alg"], clientAuth?.assertion?.header["kid"]]).toEqual([alg, kid])
      expect(clientAuth?.assertion?.claims["aud"]).toEqual([issuer, endpoint])
    }
  })
})

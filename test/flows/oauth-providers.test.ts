import { exportJWK, generateKeyPair } from "jose"
import { customFetch } from "../../lib/index.js"
import type { OAuth2Config, OIDCConfig } from "../../lib/providers/provider.js"
import type { TokenSet } from "../../lib/types.js"
import { describeServers } from "../support/apps.js"
import {
  type Claims,
  type FaultyProvider,
  type FaultyProviderOptions,
  startFaultyProvider,
} from "../support/faulty-provider.js"
import { expectRefused } from "./support/expect-refused.js"
import { guardProcess } from "./support/guard.js"
import { begin, comeBack, param, type Site, type SiteOptions, sessionOf, signIn, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

type Ask = { fetch: typeof fetch; tokens: TokenSet; provider: { userinfo?: { url: URL } } }

/** The account of the one sign-in that a site has seen. */
const accountOf = ({ events }: Site): Claims =>
  Object(Object(events.filter(({ name }) => name === "signIn").at(-1)?.message).account)

describeServers("a provider object of plain OAuth 2", (start, stage) => {
  const site = (provider: Partial<OAuth2Config> = {}, more: SiteOptions = {}) =>
    startSite(
      { start, stage, op },
      { mode: { plainOAuth: true }, providers: [op.oauth({ ...provider, id: "oidc" })], ...more },
    )

  /** Signs in and gives who is signed in then. */
  async function userBy(one: Site) {
    const browser = one.app.browser()
    await signIn(browser, op)
    expect(one.failures()).toEqual([])
    return (await sessionOf(browser))?.user
  }

  it("signs in by its userinfo address, without discovery", async () => {
    const one = await site()
    expect(await userBy(one)).toMatchObject({ name: "Alice", email: "alice@example.com" })
    expect([op.count("discovery"), op.count("/jwks"), op.count("/userinfo")]).toEqual([0, 0, 1])
    expect(accountOf(one)).toMatchObject({
      provider: "oidc",
      type: "oauth",
      providerAccountId: "4711",
      token_type: "bearer",
    })
    expect(op.last("/userinfo").headers.authorization).toBe(`Bearer ${accountOf(one)["access_token"]}`)
  })

  it("has endpoints as objects with parameters", async () => {
    const one = await site({
      authorization: {
        url: `${op.base}/authorize`,
        params: { scope: "read:user", claims: { a: 1 }, left_out: undefined },
      },
      userinfo: { url: `${op.base}/userinfo`, params: { fields: "id,name" } },
      token: { url: `${op.base}/token`, params: { version: 2 } },
    })
    expect(await userBy(one)).toMatchObject({ name: "Alice" })
    expect(op.last("/authorize").query).toMatchObject({ scope: "read:user", claims: '{"a":1}' })
    expect(op.last("/authorize").query).not.toHaveProperty("left_out")
    expect([op.last("/userinfo").query, op.last("/token").query]).toEqual([{ fields: "id,name" }, { version: "2" }])
  })

  it("may ask for the user itself", async () => {
    const request = async ({ fetch: ask, tokens, provider }: Ask) => {
      const answer = await ask(provider.userinfo?.url ?? "", {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      })
      return { ...Object(await answer.json()), name: "By its own request" }
    }
    const one = await site({ userinfo: { url: `${op.base}/userinfo`, request } })
    expect(await userBy(one)).toMatchObject({ name: "By its own request" })
  })

  it("may ask for the tokens itself", async () => {
    const seen: Claims[] = []
    const request = async (context: {
      params: Record<string, string>
      checks: Claims
      redirect_uri: string
      fetch: typeof fetch
    }) => {
      seen.push({ ...context })
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
    const one = await site({ token: { url: `${op.base}/token`, request } })
    expect(await userBy(one)).toMatchObject({ name: "Alice" })
    expect(seen).toHaveLength(1)
    expect(op.last("/token").clientAuth?.method).toBe("client_secret_post")
  })

  it("may mend the token endpoint's answer", async () => {
    const conform = async (response: Response) => {
      const { data }: { data: Claims } = Object(await response.json())
      return Response.json({ ...data, token_type: "bearer" })
    }
    const one = await site(
      { token: { url: `${op.base}/token`, conform } },
      { mode: { plainOAuth: true, token: (data) => ({ data }) } },
    )
    expect(await userBy(one)).toMatchObject({ name: "Alice" })
  })

  it("maps its profile, also late, and passes the tokens to it", async () => {
    const profile = async (claims: Claims, tokens: TokenSet) => ({
      id: String(claims["id"]),
      name: `${claims["login"]} ${typeof tokens.access_token}`,
    })
    expect(await userBy(await site({ profile }))).toMatchObject({ name: "alice string" })
  })

  it.each([
    [
      "throws",
      () => {
        throw new Error("no such claim")
      },
      /no such claim/,
    ],
    ["gives no id", () => ({ name: "Nobody" }), /returned no id/],
    ["gives an empty id", () => ({ id: "" }), /returned no id/],
    ["gives the text undefined", () => ({ id: String(undefined) }), /returned no id/],
    ["gives nothing", () => undefined as never, /returned no id/],
  ])("is refused when its profile function %s", async (_, profile, reason) => {
    const one = await site({}, { providers: [op.oauth({ id: "oidc" }), op.oauth({ id: "odd", profile })] })
    await expectRefused(one, { attempt: (browser) => signIn(browser, op, { id: "odd" }), provider: "odd", reason })
  })

  it("pays no heed to an id_token", async () => {
    const one = await site({}, { mode: { plainOAuth: true, token: (json) => ({ ...json, id_token: "not.a.token" }) } })
    expect(await userBy(one)).toMatchObject({ name: "Alice" })
  })

  it("keeps of the tokens what account() says, when it is linked", async () => {
    const account = ({ access_token, custom }: TokenSet) => ({ access_token, custom })
    const token = (json: Claims) => ({ ...json, custom: "kept", authorization_details: [{ type: "t" }] })
    const mode = { plainOAuth: true, token }
    const chosen = await site({ account }, { sessions: "database", mode })
    await userBy(chosen)
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
    const byDefault = await site({}, { sessions: "database", mode })
    await userBy(byDefault)
    const [kept] = byDefault.store?.accounts ?? []
    expect(Object.keys(kept ?? {}).sort()).toEqual(
      "access_token expires_at provider providerAccountId refresh_token scope token_type type userId".split(" "),
    )
  })

  it("maps its tokens: type in lower case, expiry as a point in time, the rest as it is", async () => {
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
      const one = await site({}, { mode: { plainOAuth: true, token: (json) => ({ ...json, ...sent }) } })
      await userBy(one)
      expect(accountOf(one)).toMatchObject(kept)
      if ("expires_in" in sent)
        expect(Math.abs(Number(accountOf(one)["expires_at"]) - Date.now() / 1000 - 60)).toBeLessThan(10)
    }
    const endless = await site(
      {},
      { mode: { plainOAuth: true, token: (json) => ({ ...json, expires_in: undefined }) } },
    )
    await userBy(endless)
    expect(accountOf(endless)).not.toHaveProperty("expires_at")
  })

  it("discovers what it does not say", async () => {
    const { clientId, clientSecret } = op.client
    const provider: OAuth2Config = {
      ...{ id: "oidc", name: "Half", type: "oauth", issuer: op.issuer, clientId, clientSecret },
      profile: ({ sub, name }) => ({ id: String(sub), name: name ?? null }),
    }
    const one = await startSite({ start, stage, op }, { providers: [provider] })
    expect(await userBy(one)).toMatchObject({ name: "Alice" })
    expect(op.count("discovery")).toBe(1)
  })
})

describeServers("a provider object of OpenID Connect", (start, stage) => {
  const site = (provider: Partial<OIDCConfig> = {}, more: SiteOptions = {}) =>
    startSite({ start, stage, op }, { providers: [op.oidc(provider)], ...more })

  it("is discovered at wellKnown, where it says so", async () => {
    const one = await site({ wellKnown: `${op.base}/.well-known/openid-configuration?tenant=7` })
    await signIn(one.app.browser(), op)
    expect([one.failures(), op.last("discovery").query]).toEqual([[], { tenant: "7" }])
  })

  it("has its own endpoints before the discovered ones", async () => {
    const one = await site({ authorization: `${op.base}/authorize?tenant=7`, token: `${op.base}/token?tenant=7` })
    const browser = one.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    expect([op.last("/authorize").query["tenant"], op.last("/token").query["tenant"]]).toEqual(["7", "7"])
  })

  it("takes the profile from userinfo with idToken: false, verified by the id_token's sub", async () => {
    const userinfo = (user: Claims) => ({ ...user, name: "Alice of userinfo" })
    const [byToken, byUserinfo] = [
      await site({}, { mode: { userinfo } }),
      await site({ idToken: false }, { mode: { userinfo } }),
    ]
    const [a, b] = [byToken.app.browser(), byUserinfo.app.browser()]
    await signIn(a, op)
    await signIn(b, op)
    expect((await sessionOf(a))?.user).toMatchObject({ name: "Alice" })
    expect((await sessionOf(b))?.user).toMatchObject({ name: "Alice of userinfo" })
  })

  it("is called through a fetch of its own, whoever made the symbol", async () => {
    for (const symbol of [customFetch, Symbol("custom-fetch")]) {
      const called: string[] = []
      const own: typeof fetch = (input, init) => {
        called.push(new URL(input instanceof Request ? input.url : input).pathname)
        return fetch(input, init)
      }
      for (const provider of [{ [symbol]: own }, { options: { [symbol]: own } }]) {
        called.length = 0
        const one = await site({ idToken: false, ...provider } as Partial<OIDCConfig>)
        const browser = one.app.browser()
        await signIn(browser, op)
        expect(await sessionOf(browser)).not.toBeNull()
        const before = op.requests.filter(({ endpoint }) => endpoint !== "authorize").map(({ path }) => path)
        expect(called).toEqual(before)
        expect(called).toHaveLength(4)
      }
    }
  })

  it("bounds a fetch of its own too", async () => {
    const own: typeof fetch = async () =>
      new Response("x".repeat(2_000_000), { headers: { "content-type": "application/json" } })
    const one = await site({ [customFetch]: own })
    expect((await begin(one.app.browser())).location).toContain("error=OAuthCallbackError")
    expect(one.logText()).toContain("larger than 1000000 bytes")
  })

  it("has only the checks that it lists", async () => {
    const expected: [NonNullable<OIDCConfig["checks"]>, string[]][] = [
      [["state"], ["state"]],
      [["pkce"], ["code_challenge", "code_challenge_method"]],
      [["nonce"], ["nonce"]],
      [["none"], []],
    ]
    for (const [checks, names] of expected) {
      const one = await site({ checks })
      const browser = one.app.browser()
      const { location } = await begin(browser)
      const sent = ["state", "nonce", "code_challenge", "code_challenge_method"].filter((name) => param(location, name))
      expect(sent.sort()).toEqual(names)
      await comeBack(browser, op, await op.authorize(location))
      expect(await sessionOf(browser)).not.toBeNull()
    }
  })
})

describeServers("a client proves who it is", (start, stage) => {
  async function signInAt(client: FaultyProviderOptions, provider: Partial<OIDCConfig>) {
    const strict = await startFaultyProvider(client)
    try {
      const one = await startSite({ start, stage, op: strict }, { providers: [strict.oidc(provider)] })
      const browser = one.app.browser()
      await signIn(browser, strict)
      expect([one.failures(), await sessionOf(browser)]).toEqual([[], expect.anything()])
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
  const by = (token_endpoint_auth_method: string) => ({ client: { token_endpoint_auth_method } })
  const odd = { clientId: "an id: with %", clientSecret: "s:e c%r+é&t=~ that is longer than 32 bytes" }

  it("by client_secret_basic, which is the default", async () => {
    for (const provider of [{}, by("client_secret_basic")]) {
      const { clientAuth, form } = await signInAt(odd, provider)
      expect(clientAuth).toMatchObject({ method: "client_secret_basic", ...odd })
      expect([form["client_secret"], form["client_assertion"]]).toEqual([undefined, undefined])
    }
  })

  it("by client_secret_post", async () => {
    const { clientAuth, headers } = await signInAt(odd, by("client_secret_post"))
    expect([clientAuth, headers.authorization]).toEqual([{ method: "client_secret_post", ...odd }, undefined])
  })

  it("by its id alone", async () => {
    const { clientAuth, headers, form } = await signInAt({ isPublic: true }, { ...by("none"), clientSecret: undefined })
    expect([clientAuth?.method, headers.authorization, form["client_secret"]]).toEqual(["none", undefined, undefined])
    expect(form["code_verifier"]).toMatch(/^[\w-]{43}$/)
  })

  it("by client_secret_jwt", async () => {
    const { clientAuth, issuer, headers, form } = await signInAt(odd, by("client_secret_jwt"))
    expect(clientAuth).toMatchObject({ method: "client_secret_jwt", assertion: { header: { alg: "HS256" } } })
    const { iss, sub, aud, exp, iat, jti } = clientAuth?.assertion?.claims ?? {}
    expect([iss, sub, aud]).toEqual([odd.clientId, odd.clientId, issuer])
    expect([Number(exp) - Number(iat), typeof jti]).toEqual([60, "string"])
    expect([headers.authorization, form["client_secret"]]).toEqual([undefined, undefined])
    expect(form["client_assertion_type"]).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
  })

  it.each(["ES256", "RS256", "PS256"])("by private_key_jwt with %s, the key bare or with its kid", async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    const clientPublicKey = { ...(await exportJWK(publicKey)), alg }
    for (const [clientPrivateKey, kid] of [
      [privateKey, undefined],
      [{ key: privateKey, kid: "k1" }, "k1"],
    ] as const) {
      const provider = { ...by("private_key_jwt"), clientSecret: undefined, token: { clientPrivateKey } }
      const { clientAuth, issuer, endpoint } = await signInAt({ clientPublicKey }, provider)
      expect(clientAuth?.method).toBe("private_key_jwt")
      expect([clientAuth?.assertion?.header["alg"], clientAuth?.assertion?.header["kid"]]).toEqual([alg, kid])
      expect(clientAuth?.assertion?.claims["aud"]).toEqual([issuer, endpoint])
    }
  })
})

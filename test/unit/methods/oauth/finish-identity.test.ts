import { MemoryAdapter } from "../../../../lib/adapters/memory.js"
import type { OAuth2Config, OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import type { TokenSet } from "../../../../lib/types.js"
import { ADA, CODE, failureOf, finish, postedSignIn, signIn, siteWith, TOKENS } from "./fake-endpoints.js"

const me = (profile: unknown) => ({ "/me": () => Response.json(profile) })
const mapped = (profile: NonNullable<OAuth2Config["profile"]>): Partial<OAuthConfig> =>
  ({ profile }) as Partial<OAuthConfig>

describe("finishOAuth", () => {
  it("returns the user and the account of the profile, and the provider's tokens", async () => {
    const { user, account, profile, ...rest } = await signIn(siteWith())
    expect(user).toEqual({ id: expect.stringMatching(/^[\da-f-]{36}$/), name: "Ada", email: "ada@example.com" })
    expect(account).toEqual({
      provider: "acme",
      type: "oauth",
      providerAccountId: "7",
      access_token: "the access token",
      token_type: "bearer",
    })
    expect(profile).toEqual(ADA)
    expect(rest).toMatchObject({ isEmailVerified: false, allowsEmailLinking: false })
    expect(rest.tokensToStore?.()).toEqual({ access_token: "the access token", token_type: "bearer" })
  })

  it("returns the user who started the flow, or undefined if the flow does not name one", async () => {
    expect((await signIn(siteWith())).startedBy).toBeUndefined()
    expect((await signIn(siteWith({}, {}, { adapter: MemoryAdapter() }))).startedBy).toBeNull()
    // Without a flow of this site, the current user can't have started the sign-in.
    const unchecked = siteWith({}, { checks: ["none"] })
    expect((await finish(unchecked, { query: { code: CODE } })).startedBy).toBeNull()
  })

  it("generates another user id each time", async () => {
    const site = siteWith()
    expect((await signIn(site)).user.id).not.toBe((await signIn(site)).user.id)
  })

  it("accepts a numeric id, and normalizes the email address of profile()", async () => {
    const site = siteWith(
      {},
      mapped(() => ({ id: 7, email: "X@Example.com", role: "admin" }) as never),
    )
    const { user, account } = await signIn(site)
    expect([account.providerAccountId, user]).toEqual([
      "7",
      { id: expect.not.stringMatching(/^7$/), email: "x@example.com", role: "admin" },
    ])
  })

  it("calls profile() with the tokens, the merged provider and its fetch", async () => {
    const contexts: object[] = []
    const recordContext = mapped((_profile, tokens, context) => {
      contexts.push({ tokens, ...context })
      return { id: "7" }
    })
    await signIn(siteWith({}, recordContext))
    expect(contexts).toEqual([
      {
        tokens: { access_token: "the access token", token_type: "bearer" },
        provider: expect.objectContaining({ id: "acme", clientId: "our-client" }),
        fetch: expect.any(Function),
      },
    ])
  })

  it("ignores account fields in the token response", async () => {
    const tokens = { ...TOKENS, userId: "9", provider: "other", type: "email", providerAccountId: "8" }
    const { account } = await signIn(siteWith({ "/token": () => Response.json(tokens) }))
    expect(account).not.toHaveProperty("userId")
    expect(account).toMatchObject({ provider: "acme", type: "oauth", providerAccountId: "7" })
  })

  it("stores the tokens that the provider's account() returns", async () => {
    const storedTokens = async (account: (tokens: TokenSet) => TokenSet | undefined) =>
      (await signIn(siteWith({}, { account } as Partial<OAuthConfig>))).tokensToStore?.()
    expect(await storedTokens(({ access_token }) => ({ access_token: `${access_token}!` }))).toEqual({
      access_token: "the access token!",
    })
    expect(await storedTokens(() => undefined)).toEqual({})
  })

  it.each(["[object Object]s", "an [object Object]", "undefined7"])("accepts the id %p", async (id) => {
    const { account } = await signIn(
      siteWith(
        {},
        mapped(() => ({ id })),
      ),
    )
    expect(account.providerAccountId).toBe(id)
  })

  it.each([
    ...[undefined, null, "", "undefined", "null", {}, Number.NaN, "NaN", "[object Object]"],
    // As text, these would be the same for every user.
    ...[Promise.resolve("7"), true, false, () => "7", Symbol("7"), [{}]],
  ])("rejects a profile with the invalid id %p", async (id) => {
    expect(
      await failureOf(
        signIn(
          siteWith(
            {},
            mapped(() => ({ id }) as never),
          ),
        ),
      ),
    ).toMatchObject({
      type: "OAuthProfileParseError",
      message: "the provider's profile can't be turned into a user",
      cause: { provider: "acme", err: { message: "profile() returned no id" }, members: ["sub", "name", "email"] },
    })
  })

  it("rejects an id that is a number above Number.MAX_SAFE_INTEGER", async () => {
    const long = Number.MAX_SAFE_INTEGER + 1
    expect((await signIn(siteWith(me({ id: long - 1 })))).account.providerAccountId).toBe(String(long - 1))
    expect(await failureOf(signIn(siteWith(me({ id: long }))))).toMatchObject({
      type: "OAuthProfileParseError",
      cause: { err: { message: expect.stringMatching(/^profile\(\) returned an id that contains a number above/) } },
    })
  })

  it("rejects an id that contains a number above Number.MAX_SAFE_INTEGER", async () => {
    const prefixed = (profile: object) =>
      signIn(
        siteWith(
          me(profile),
          mapped((answer) => ({ id: `acme:${answer["number"]}` })),
        ),
      )
    const [exact, long] = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1]
    expect((await prefixed({ number: exact })).account.providerAccountId).toBe(`acme:${exact}`)
    expect((await prefixed({ number: long, text: String(long) })).account.providerAccountId).toBe(`acme:${long}`)
    expect((await prefixed({ number: long, text: `acme:${long}` })).account.providerAccountId).toBe(`acme:${long}`)
    expect(await failureOf(prefixed({ number: long }))).toMatchObject({
      cause: { err: { message: expect.stringMatching(/^profile\(\) returned an id that contains a number above/) } },
    })
  })

  it("rejects an id with a lone surrogate, which databases can't tell from another", async () => {
    expect((await signIn(siteWith(me({ id: "ada \u{1F511}" })))).account.providerAccountId).toBe("ada \u{1F511}")
    for (const half of ["\ud83d", "\udd11"])
      expect(await failureOf(signIn(siteWith(me({ id: `ada ${half}` }))))).toMatchObject({
        type: "OAuthProfileParseError",
        cause: { err: { message: expect.stringMatching(/^profile\(\) returned an id with a lone surrogate/) } },
      })
  })

  it("rejects if profile() returns nothing or throws", async () => {
    for (const nothing of [undefined, null])
      expect(
        await failureOf(
          signIn(
            siteWith(
              {},
              mapped(() => nothing as never),
            ),
          ),
        ),
      ).toMatchObject({
        type: "OAuthProfileParseError",
        cause: { err: { message: "profile() returned no id" } },
      })
    const throws = mapped((_, { access_token }) => {
      throw new TypeError(`no name for ${access_token}`)
    })
    expect(await failureOf(signIn(siteWith({}, throws)))).toMatchObject({
      type: "OAuthProfileParseError",
      cause: { err: { name: "TypeError", message: "no name for [masked]" } },
    })
  })

  it("rejects a user whom isAllowed does not accept", async () => {
    const only = (isAllowed: OAuthConfig["isAllowed"]) => signIn(siteWith({}, { isAllowed } as Partial<OAuthConfig>))
    expect(await failureOf(only(() => true))).toBeUndefined()
    expect(await failureOf(only(async () => true))).toBeUndefined()
    for (const refusing of [() => false, async () => false])
      expect(await failureOf(only(refusing))).toMatchObject({
        type: "AccessDenied",
        messageCode: "user-not-allowed",
        message: "the provider's options do not allow this user",
        cause: { provider: "acme" },
      })
  })

  it("masks tokens in an error of isAllowed", async () => {
    const isAllowed = () => {
      throw new Error("no user with the access token")
    }
    expect(await failureOf(signIn(siteWith({}, { isAllowed })))).toMatchObject({
      type: "OAuthCallbackError",
      cause: { err: { message: "no user with [masked]" } },
    })
  })
})

describe("the email address of finishOAuth", () => {
  it.each([
    ["ADA@Example.COM", "ada@example.com"],
    ["Élodie@Example.com", "élodie@example.com"],
    // Its lower case is the ASCII letter "k", which would make it another user's address.
    ["\u212aate@example.com", "\u212aate@example.com"],
    // Its lower case is a letter and a combining mark.
    ["\u0130@example.com", "\u0130@example.com"],
  ])("normalizes %j to %j", async (email, expected) => {
    expect((await signIn(siteWith(me({ ...ADA, email })))).user.email).toBe(expected)
  })

  it.each([null, undefined, 42, ["ada@example.com"], ""])(
    "is missing if it is not a string or is empty: %j",
    async (email) => {
      expect(
        (
          await signIn(
            siteWith(
              {},
              mapped(() => ({ id: "7", email }) as never),
            ),
          )
        ).user,
      ).not.toHaveProperty("email")
    },
  )

  it.each<[string, object, string, boolean]>([
    ["that the provider has verified", { email: "ada@example.com", email_verified: true }, "ada@example.com", true],
    ["in other letter case", { email: "ADA@example.com", email_verified: true }, "Ada@Example.com", true],
    ["that differs from the claim", { email: "ada@example.com", email_verified: true }, "eve@example.com", false],
    [
      "that the provider has not verified",
      { email: "ada@example.com", email_verified: false },
      "ada@example.com",
      false,
    ],
    ["without email_verified", { email: "ada@example.com" }, "ada@example.com", false],
    ["with email_verified as a string", { email: "ada@example.com", email_verified: "true" }, "ada@example.com", false],
    ["without an email claim", { email_verified: true }, "ada@example.com", false],
  ])(
    "%s, with the profile %j and the address %s, has isEmailVerified %s",
    async (_name, profile, email, isVerified) => {
      const site = siteWith(
        me({ sub: "7", ...profile }),
        mapped(() => ({ id: "7", email })),
      )
      expect((await signIn(site)).isEmailVerified).toBe(isVerified)
    },
  )

  it("is verified without an email claim if isEmailVerified accepts the profile", async () => {
    const options = { isEmailVerified: () => true, profile: () => ({ id: "7", email: "ada@example.com" }) }
    expect((await signIn(siteWith(me({ sub: "7" }), options))).isEmailVerified).toBe(true)
    expect((await signIn(siteWith(me({ sub: "7", email: "eve@example.com" }), options))).isEmailVerified).toBe(false)
  })

  it("allows linking by email address if the provider's options do", async () => {
    const { allowsEmailLinking } = await signIn(siteWith({}, { allowDangerousEmailAccountLinking: true }))
    expect(allowsEmailLinking).toBe(true)
  })
})

describe("OID-31: finishOAuth with a posted user field", () => {
  const byPost = { authorization: { url: "https://acme.test/authorize", params: { response_mode: "form_post" } } }
  const profileOf = async (user: string | undefined, profile: object = ADA) => {
    const site = siteWith(me(profile), byPost)
    return (await postedSignIn(site, user === undefined ? {} : { user })).profile
  }
  const NAME = '{"name":{"firstName":"Ada"}}'

  it("adds the field to the profile", async () => {
    expect(await profileOf(NAME)).toEqual({ ...ADA, user: { name: { firstName: "Ada" } } })
  })

  it("does not replace a field of the profile", async () => {
    expect(await profileOf(NAME, { ...ADA, user: "the provider's" })).toEqual({ ...ADA, user: "the provider's" })
    expect(await profileOf(NAME, { ...ADA, user: null })).toEqual({ ...ADA, user: null })
  })

  it.each([undefined, "", "{", "[]", '"Ada"', "null", "7"])("ignores an invalid field: %j", async (user) => {
    expect(await profileOf(user)).toEqual(ADA)
  })

  it("ignores the field in a query string", async () => {
    expect((await signIn(siteWith(), { user: NAME })).profile).toEqual(ADA)
  })
})

import { MemoryAdapter } from "../../../../lib/adapters/memory.js"
import type { OAuth2Config, OAuthConfig } from "../../../../lib/providers/provider.js"
import type { TokenSet } from "../../../../lib/types.js"
import { ADA, CODE, failureOf, finish, postedSignIn, settingWith, signIn, TOKENS } from "./answering.js"

const me = (profile: unknown) => ({ "/me": () => Response.json(profile) })
const mapped = (profile: NonNullable<OAuth2Config["profile"]>): Partial<OAuthConfig> =>
  ({ profile }) as Partial<OAuthConfig>

describe("who comes back", () => {
  it("is the profile's person, with an account at the provider", async () => {
    const { user, account, profile, ...rest } = await signIn(settingWith())
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
    expect(rest.keptTokens?.()).toEqual({ access_token: "the access token", token_type: "bearer" })
  })

  it("comes with who was signed in when it began, which an older version's attempts don't say", async () => {
    expect((await signIn(settingWith())).begunBy).toBeUndefined()
    expect((await signIn(settingWith({}, {}, { adapter: MemoryAdapter() }))).begunBy).toBeNull()
    // Whoever brings an answer that nobody here asked for has not begun it.
    const unasked = settingWith({}, { checks: ["none"] })
    expect((await finish(unasked, { query: { code: CODE } })).begunBy).toBeNull()
  })

  it("has another id here each time", async () => {
    const setting = settingWith()
    expect((await signIn(setting)).user.id).not.toBe((await signIn(setting)).user.id)
  })

  it("is whom a number names, and what profile() says", async () => {
    const setting = settingWith(
      {},
      mapped(() => ({ id: 7, email: "X@Example.com", role: "admin" }) as never),
    )
    const { user, account } = await signIn(setting)
    expect([account.providerAccountId, user]).toEqual([
      "7",
      { id: expect.not.stringMatching(/^7$/), email: "x@example.com", role: "admin" },
    ])
  })

  it("is worked out with the tokens, the provider as merged, and its fetch", async () => {
    const contexts: object[] = []
    const note = mapped((_profile, tokens, context) => {
      contexts.push({ tokens, ...context })
      return { id: "7" }
    })
    await signIn(settingWith({}, note))
    expect(contexts).toEqual([
      {
        tokens: { access_token: "the access token", token_type: "bearer" },
        provider: expect.objectContaining({ id: "acme", clientId: "our-client" }),
        fetch: expect.any(Function),
      },
    ])
  })

  it("is the account of the provider, whatever its tokens say whose it is", async () => {
    const tokens = { ...TOKENS, userId: "somebody", provider: "other", type: "email", providerAccountId: "8" }
    const { account } = await signIn(settingWith({ "/token": () => Response.json(tokens) }))
    expect(account).not.toHaveProperty("userId")
    expect(account).toMatchObject({ provider: "acme", type: "oauth", providerAccountId: "7" })
  })

  it("keeps of the tokens what the provider's definition says", async () => {
    const kept = async (account: (tokens: TokenSet) => TokenSet | undefined) =>
      (await signIn(settingWith({}, { account } as Partial<OAuthConfig>))).keptTokens?.()
    expect(await kept(({ access_token }) => ({ access_token: `${access_token}!` }))).toEqual({
      access_token: "the access token!",
    })
    expect(await kept(() => undefined)).toEqual({})
  })

  it.each(["[object Object]s", "an [object Object]", "undefined7"])("is whom a text names: %p", async (id) => {
    const { account } = await signIn(
      settingWith(
        {},
        mapped(() => ({ id })),
      ),
    )
    expect(account.providerAccountId).toBe(id)
  })

  it.each([
    ...[undefined, null, "", "undefined", "null", {}, Number.NaN, "NaN", "[object Object]"],
    // As text they are the same for everybody.
    ...[Promise.resolve("7"), true, false, () => "7", Symbol("7"), [{}]],
  ])("is nobody without an id: %p", async (id) => {
    expect(
      await failureOf(
        signIn(
          settingWith(
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

  it("is nobody whom a number of too many digits names, which others may have too", async () => {
    const long = Number.MAX_SAFE_INTEGER + 1
    expect((await signIn(settingWith(me({ id: long - 1 })))).account.providerAccountId).toBe(String(long - 1))
    expect(await failureOf(signIn(settingWith(me({ id: long }))))).toMatchObject({
      type: "OAuthProfileParseError",
      cause: { err: { message: expect.stringMatching(/^profile\(\) returned an id from a number above/) } },
    })
  })

  it("is nobody whom such a number names with more beside it", async () => {
    const prefixed = (profile: object) =>
      signIn(
        settingWith(
          me(profile),
          mapped((answer) => ({ id: `acme:${answer["number"]}` })),
        ),
      )
    const [exact, long] = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1]
    expect((await prefixed({ number: exact })).account.providerAccountId).toBe(`acme:${exact}`)
    expect((await prefixed({ number: long, text: String(long) })).account.providerAccountId).toBe(`acme:${long}`)
    expect((await prefixed({ number: long, text: `acme:${long}` })).account.providerAccountId).toBe(`acme:${long}`)
    expect(await failureOf(prefixed({ number: long }))).toMatchObject({
      cause: { err: { message: expect.stringMatching(/^profile\(\) returned an id from a number above/) } },
    })
  })

  it("is nobody whom half a character names, which stores take for any other half", async () => {
    expect((await signIn(settingWith(me({ id: "ada \u{1F511}" })))).account.providerAccountId).toBe("ada \u{1F511}")
    for (const half of ["\ud83d", "\udd11"])
      expect(await failureOf(signIn(settingWith(me({ id: `ada ${half}` }))))).toMatchObject({
        type: "OAuthProfileParseError",
        cause: { err: { message: expect.stringMatching(/^profile\(\) returned an id with a lone surrogate/) } },
      })
  })

  it("is nobody where profile() gives nothing, or throws", async () => {
    for (const nothing of [undefined, null])
      expect(
        await failureOf(
          signIn(
            settingWith(
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
    expect(await failureOf(signIn(settingWith({}, throws)))).toMatchObject({
      type: "OAuthProfileParseError",
      cause: { err: { name: "TypeError", message: "no name for [masked]" } },
    })
  })

  it("is nobody whom the provider's options do not let in", async () => {
    const only = (isAllowed: OAuthConfig["isAllowed"]) => signIn(settingWith({}, { isAllowed } as Partial<OAuthConfig>))
    expect(await failureOf(only(() => true))).toBeUndefined()
    expect(await failureOf(only(async () => true))).toBeUndefined()
    for (const refusing of [() => false, async () => false])
      expect(await failureOf(only(refusing))).toMatchObject({
        type: "AccessDenied",
        messageCode: "person-not-allowed",
        message: "the provider's options do not let this person in",
        cause: { provider: "acme" },
      })
  })

  it("is told to the provider's own functions without the tokens being told to the log", async () => {
    const isAllowed = () => {
      throw new Error("nobody with the access token")
    }
    expect(await failureOf(signIn(settingWith({}, { isAllowed })))).toMatchObject({
      type: "OAuthCallbackError",
      cause: { err: { message: "nobody with [masked]" } },
    })
  })
})

describe("the address", () => {
  it.each([
    ["ADA@Example.COM", "ada@example.com"],
    ["Élodie@Example.com", "élodie@example.com"],
    // Its small letter is the ASCII "k": the address would be somebody else's.
    ["\u212aate@example.com", "\u212aate@example.com"],
    // Its small letter is a letter and a mark.
    ["\u0130@example.com", "\u0130@example.com"],
  ])("%j is known as %j", async (email, expected) => {
    expect((await signIn(settingWith(me({ ...ADA, email })))).user.email).toBe(expected)
  })

  it.each([null, undefined, 42, ["ada@example.com"], ""])(
    "that is no text, or an empty one, is none: %j",
    async (email) => {
      expect(
        (
          await signIn(
            settingWith(
              {},
              mapped(() => ({ id: "7", email }) as never),
            ),
          )
        ).user,
      ).not.toHaveProperty("email")
    },
  )

  it.each<[string, object, string, boolean]>([
    ["that the provider has proved", { email: "ada@example.com", email_verified: true }, "ada@example.com", true],
    ["in other letters", { email: "ADA@example.com", email_verified: true }, "Ada@Example.com", true],
    ["that is not the claim's", { email: "ada@example.com", email_verified: true }, "eve@example.com", false],
    ["that the provider has not proved", { email: "ada@example.com", email_verified: false }, "ada@example.com", false],
    ["that it says nothing of", { email: "ada@example.com" }, "ada@example.com", false],
    ["that is a text's word", { email: "ada@example.com", email_verified: "true" }, "ada@example.com", false],
    ["from another claim", { email_verified: true }, "ada@example.com", false],
  ])("%s is proved, or not", async (_name, profile, email, isProved) => {
    const setting = settingWith(
      me({ sub: "7", ...profile }),
      mapped(() => ({ id: "7", email })),
    )
    expect((await signIn(setting)).isEmailVerified).toBe(isProved)
  })

  it("links accounts where the provider's options say so", async () => {
    const { allowsEmailLinking } = await signIn(settingWith({}, { allowDangerousEmailAccountLinking: true }))
    expect(allowsEmailLinking).toBe(true)
  })
})

describe("OID-31: what a browser posts of the person", () => {
  const byPost = { authorization: { url: "https://acme.test/authorize", params: { response_mode: "form_post" } } }
  const profileOf = async (user: string | undefined, profile: object = ADA) => {
    const setting = settingWith(me(profile), byPost)
    return (await postedSignIn(setting, user === undefined ? {} : { user })).profile
  }
  const NAME = '{"name":{"firstName":"Ada"}}'

  it("is beside what the provider says", async () => {
    expect(await profileOf(NAME)).toEqual({ ...ADA, user: { name: { firstName: "Ada" } } })
  })

  it("never replaces what the provider says", async () => {
    expect(await profileOf(NAME, { ...ADA, user: "the provider's" })).toEqual({ ...ADA, user: "the provider's" })
    expect(await profileOf(NAME, { ...ADA, user: null })).toEqual({ ...ADA, user: null })
  })

  it.each([undefined, "", "{", "[]", '"Ada"', "null", "7"])("is passed over where it is none: %j", async (user) => {
    expect(await profileOf(user)).toEqual(ADA)
  })

  it("is not read from an address", async () => {
    expect((await signIn(settingWith(), { user: NAME })).profile).toEqual(ADA)
  })
})

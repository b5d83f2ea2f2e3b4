import { finishOAuth, resumeOAuth } from "../../../../lib/methods/oauth/finish.js"
import { toGet } from "../../../../lib/methods/oauth/form-post.js"
import type { OAuthConfig } from "../../../../lib/providers/provider.js"
import { attemptPart } from "../../../../lib/security/sealed-attempts.js"
import { CODE, failureOf, finish, settingWith, signIn, wayBack } from "./answering.js"
import { BASE, begin, callOf, ORIGIN, providerOf, settingOf } from "./setting.js"

const OIDC = { type: "oidc", issuer: "https://acme.test" } as const
const WHY =
  "could not be checked: this browser has no such sign-in under way. It was finished already, is older than 15 minutes, or its cookies are blocked"

describe("OID-34: an answer to no attempt of this browser", () => {
  it.each<[string, Partial<OAuthConfig>]>([
    ["pkceCodeVerifier", {}],
    ["state", { checks: ["state"] }],
    ["nonce", { ...OIDC, checks: ["nonce"] }],
    ["pkceCodeVerifier", { checks: ["state", "pkce"] }],
  ])("says that its %s can't be checked", async (check, provider) => {
    expect(await failureOf(finish(settingOf(provider), { query: { code: CODE, state: "s" } }))).toMatchObject({
      type: "InvalidCheck",
      messageCode: "flow-cookie-missing",
      message: `${check} ${WHY}`,
    })
  })

  it("says no more where nothing more is known", async () => {
    const error = await failureOf(finish(settingOf(), { query: { code: CODE, state: "s" } }))
    expect(error).toMatchObject({ cause: { provider: "acme" } })
    expect(error).not.toHaveProperty("cause.hint")
  })

  it("says what has become of a cookie that is there", async () => {
    const setting = settingOf()
    const { cookies, state } = await begin(
      settingOf({}, { secret: "another secret of forty-eight letters, for tests" }),
    )
    expect(await failureOf(finish(setting, { cookies, query: { code: CODE, state } }))).toMatchObject({
      cause: {
        provider: "acme",
        hint: expect.stringMatching(/^another secret has made it\..*state: \{ name: "shop\.state"/),
      },
    })
  })

  it("says why no cookie came, where the request shows it", async () => {
    const setting = settingOf()
    const call = await callOf(setting, { query: { code: CODE, state: "s" } })
    call.headers.set("sec-fetch-dest", "iframe")
    expect(await failureOf(finishOAuth(call, providerOf(setting), setting.runtime))).toMatchObject({
      cause: { provider: "acme", hint: expect.stringMatching(/^the page is in a frame/) },
    })
  })

  it("is taken where the provider's options check nothing", async () => {
    const { account } = await finish(settingWith({}, { checks: ["none"] }), { query: { code: CODE } })
    expect(account.providerAccountId).toBe("7")
  })
})

describe("an answer", () => {
  it("counts once", async () => {
    const setting = settingWith()
    const asked = await wayBack(setting)
    await finish(setting, asked)
    expect(await failureOf(finish(setting, asked))).toMatchObject({
      type: "InvalidCheck",
      messageCode: "flow-finished",
      message: "the sign-in was finished already",
      cause: { provider: "acme" },
    })
  })

  it.each(["code", "state", "iss", "error"])("with two of %s is refused", async (name) => {
    const setting = settingWith()
    const { cookies = {}, query = {} } = await wayBack(setting)
    const call = await callOf(setting, { cookies, query })
    call.url.searchParams.append(name, "one")
    call.url.searchParams.append(name, "two")
    expect(await failureOf(finishOAuth(call, providerOf(setting), setting.runtime))).toMatchObject({
      type: "OAuthCallbackError",
      messageCode: "provider-answer-invalid",
      cause: { err: { message: `the provider's answer has "${name}" more than once` } },
    })
  })

  const posting = { authorization: { url: "https://acme.test/authorize", params: { response_mode: "form_post" } } }

  it.each(["code", "state", "iss", "error", "user", "response", "id_token", "token"])(
    "OID-34: with two of %s is refused where it is posted, too",
    async (name) => {
      const setting = settingWith({}, posting)
      const { cookies = {}, query = {} } = await wayBack(setting)
      const posted = await callOf(setting, { cookies, form: [[name, "evil"], [name, ""], ...Object.entries(query)] })
      const { location = "" } = toGet(posted, providerOf(setting), setting.runtime)
      const asked = { cookies, query: Object.fromEntries(new URL(location).searchParams) }
      expect(await failureOf(finish(setting, asked))).toMatchObject({
        type: "OAuthCallbackError",
        messageCode: "provider-answer-invalid",
        message: "the provider's answer can't be used",
        cause: { provider: "acme", err: { message: `the provider's answer has "${name}" more than once` } },
      })
      // It was the attempt's one chance, as it is with any other answer.
      expect(await failureOf(finish(setting, asked))).toMatchObject({ messageCode: "flow-finished" })
    },
  )

  it("may have two of what nobody reads where it is posted, too", async () => {
    const setting = settingWith({}, posting)
    const { cookies = {}, query = {} } = await wayBack(setting)
    const more: [string, string][] = [
      ["scope", "a"],
      ["scope", "b"],
      ["__proto__", "a"],
      ["__proto__", "b"],
    ]
    const posted = await callOf(setting, { cookies, form: [...Object.entries(query), ...more] })
    const { location = "" } = toGet(posted, providerOf(setting), setting.runtime)
    const asked = { cookies, query: Object.fromEntries(new URL(location).searchParams) }
    expect((await finish(setting, asked)).account.provider).toBe("acme")
  })

  it("may have two of what nobody reads", async () => {
    const setting = settingWith()
    const call = await callOf(setting, await wayBack(setting, { scope: "a" }))
    call.url.searchParams.append("scope", "b")
    expect((await finishOAuth(call, providerOf(setting), setting.runtime)).account.provider).toBe("acme")
  })

  it("may bring any state where the provider's options do not check it", async () => {
    const setting = settingWith({}, { checks: ["pkce"] })
    expect(await failureOf(signIn(setting))).toBeUndefined()
    expect(await failureOf(signIn(setting, { state: "any" }))).toBeUndefined()
  })

  it("needs a code", async () => {
    const setting = settingWith()
    const { cookies = {}, query = {} } = await wayBack(setting)
    const error = await failureOf(finish(setting, { cookies, query: { state: query["state"] ?? "" } }))
    expect(error).toMatchObject({ type: "OAuthCallbackError", cause: { provider: "acme" } })
  })
})

describe("OID-38: the issuer that an answer names", () => {
  it.each<[string, Partial<OAuthConfig>, boolean]>([
    ["https://acme.test", { issuer: "https://acme.test" }, true],
    ["https://evil.test", { issuer: "https://acme.test" }, false],
    // Who it is can't be compared where nothing is known of it.
    ["https://evil.test", {}, true],
  ])("%s, with the options %j: %s", async (iss, provider, isTaken) => {
    const error = await failureOf(signIn(settingWith({}, provider), { iss }))
    if (isTaken) expect(error).toBeUndefined()
    else expect(error).toMatchObject({ type: "OAuthCallbackError", messageCode: "provider-answer-invalid" })
  })

  it.each<[Record<string, string>, Partial<OAuthConfig>, boolean]>([
    [{}, { issuer: "https://acme.test" }, true],
    [{ iss: "https://acme.test" }, { issuer: "https://acme.test" }, true],
    [{ iss: "https://evil.test" }, { issuer: "https://acme.test" }, false],
    [{ iss: "https://evil.test" }, {}, true],
  ])("decides whose word a refusal is: with %j and the options %j: %s", async (said, provider, isProviders) => {
    const error = await failureOf(signIn(settingWith({}, provider), { ...said, error: "redirect_uri_mismatch" }))
    const cause = isProviders
      ? { error: "redirect_uri_mismatch", redirect_uri: `${BASE}/callback/acme` }
      : { err: { message: expect.stringContaining('"iss"') } }
    expect(error).toMatchObject({ type: "OAuthCallbackError", cause: { provider: "acme", ...cause } })
  })
})

describe("what is kept of an attempt", () => {
  it("is where the person wanted to go, and is cleared", async () => {
    const setting = settingOf()
    const { cookies = {}, query = {} } = await wayBack(setting)
    const call = await callOf(setting, { cookies, query })
    expect(resumeOAuth(call, providerOf(setting), setting.runtime)).toEqual({
      callbackUrl: ORIGIN,
      cookies: [{ drop: "state", part: attemptPart(query["state"] ?? "") }],
    })
  })

  it("is nothing where this browser has none", async () => {
    const setting = settingOf()
    const call = await callOf(setting, { query: { code: CODE, state: "s" } })
    expect(resumeOAuth(call, providerOf(setting), setting.runtime)).toEqual({ cookies: [] })
  })
})

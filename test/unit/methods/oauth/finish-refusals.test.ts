import { resumeOAuth } from "../../../../lib/methods/oauth/finish.js"
import { redirectPostToGet } from "../../../../lib/methods/oauth/form-post.js"
import type { OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import { hashFlowKey } from "../../../../lib/security/sealed-flows.js"
import { CODE, callbackRequest, failureOf, finish, finishCall, signIn, siteWith } from "./fake-endpoints.js"
import { BASE, callOf, createSite, ORIGIN, providerOf, startFlow } from "./test-site.js"

const OIDC = { type: "oidc", issuer: "https://acme.test" } as const
const WHY =
  "could not be checked: this browser has no sign-in in progress with this provider. The sign-in was already finished, it started more than 15 minutes ago, or the browser blocks cookies"

describe("OID-34: finishOAuth without a flow cookie", () => {
  it.each<[string, Partial<OAuthConfig>]>([
    ["pkceCodeVerifier", {}],
    ["state", { checks: ["state"] }],
    ["nonce", { ...OIDC, checks: ["nonce"] }],
    ["pkceCodeVerifier", { checks: ["state", "pkce"] }],
  ])("reports that %s could not be checked", async (check, provider) => {
    expect(await failureOf(finish(createSite(provider), { query: { code: CODE, state: "s" } }))).toMatchObject({
      type: "InvalidCheck",
      messageCode: "flow-cookie-missing",
      message: `${check} ${WHY}`,
    })
  })

  it("adds no hint if the reason is not known", async () => {
    const error = await failureOf(finish(createSite(), { query: { code: CODE, state: "s" } }))
    expect(error).toMatchObject({ cause: { provider: "acme" } })
    expect(error).not.toHaveProperty("cause.hint")
  })

  it("explains why a flow cookie that was sent is invalid", async () => {
    const site = createSite()
    const { cookies, state } = await startFlow(
      createSite({}, { secret: "another secret of forty-eight letters, for tests" }),
    )
    expect(await failureOf(finish(site, { cookies, query: { code: CODE, state } }))).toMatchObject({
      cause: {
        provider: "acme",
        hint: expect.stringMatching(/^the cookie was created with another secret\..*state: \{ name: "shop\.state"/),
      },
    })
  })

  it("explains why no flow cookie was sent if the request shows it", async () => {
    const site = createSite()
    const call = await callOf(site, { query: { code: CODE, state: "s" } })
    call.headers.set("sec-fetch-dest", "iframe")
    expect(await failureOf(finishCall(site, call))).toMatchObject({
      cause: { provider: "acme", hint: expect.stringMatching(/^the page is in a frame/) },
    })
  })

  it("accepts the response if the provider's checks are none", async () => {
    const { account } = await finish(siteWith({}, { checks: ["none"] }), { query: { code: CODE } })
    expect(account.providerAccountId).toBe("7")
  })
})

describe("finishOAuth", () => {
  it("accepts a response once", async () => {
    const site = siteWith()
    const callback = await callbackRequest(site)
    await finish(site, callback)
    expect(await failureOf(finish(site, callback))).toMatchObject({
      type: "InvalidCheck",
      messageCode: "flow-finished",
      message: "the sign-in was already finished",
      cause: { provider: "acme" },
    })
  })

  it.each(["code", "state", "iss", "error"])("rejects a response with two %s parameters", async (name) => {
    const site = siteWith()
    const { cookies = {}, query = {} } = await callbackRequest(site)
    const call = await callOf(site, { cookies, query })
    call.url.searchParams.append(name, "one")
    call.url.searchParams.append(name, "two")
    expect(await failureOf(finishCall(site, call))).toMatchObject({
      type: "OAuthCallbackError",
      messageCode: "provider-answer-invalid",
      cause: { err: { message: `the provider's response has "${name}" more than once` } },
    })
  })

  const posting = { authorization: { url: "https://acme.test/authorize", params: { response_mode: "form_post" } } }

  it.each(["code", "state", "iss", "error", "user", "response", "id_token", "token"])(
    "OID-34: rejects a posted response with two %s parameters",
    async (name) => {
      const site = siteWith({}, posting)
      const { cookies = {}, query = {} } = await callbackRequest(site)
      const posted = await callOf(site, { cookies, form: [[name, "evil"], [name, ""], ...Object.entries(query)] })
      const { location = "" } = redirectPostToGet(posted, providerOf(site), site.runtime)
      const callback = { cookies, query: Object.fromEntries(new URL(location).searchParams) }
      expect(await failureOf(finish(site, callback))).toMatchObject({
        type: "OAuthCallbackError",
        messageCode: "provider-answer-invalid",
        message: "the provider's response can't be used",
        cause: { provider: "acme", err: { message: `the provider's response has "${name}" more than once` } },
      })
      // The attempt used up the flow, as any other response does.
      expect(await failureOf(finish(site, callback))).toMatchObject({ messageCode: "flow-finished" })
    },
  )

  it("accepts a posted response with duplicates of other parameters", async () => {
    const site = siteWith({}, posting)
    const { cookies = {}, query = {} } = await callbackRequest(site)
    const more: [string, string][] = [
      ["scope", "a"],
      ["scope", "b"],
      ["__proto__", "a"],
      ["__proto__", "b"],
    ]
    const posted = await callOf(site, { cookies, form: [...Object.entries(query), ...more] })
    const { location = "" } = redirectPostToGet(posted, providerOf(site), site.runtime)
    const callback = { cookies, query: Object.fromEntries(new URL(location).searchParams) }
    expect((await finish(site, callback)).account.provider).toBe("acme")
  })

  it("accepts a response with duplicates of other parameters", async () => {
    const site = siteWith()
    const call = await callOf(site, await callbackRequest(site, { scope: "a" }))
    call.url.searchParams.append("scope", "b")
    expect((await finishCall(site, call)).account.provider).toBe("acme")
  })

  it("accepts any state if the provider does not check it", async () => {
    const site = siteWith({}, { checks: ["pkce"] })
    expect(await failureOf(signIn(site))).toBeUndefined()
    expect(await failureOf(signIn(site, { state: "any" }))).toBeUndefined()
  })

  it("rejects a response without a code", async () => {
    const site = siteWith()
    const { cookies = {}, query = {} } = await callbackRequest(site)
    const error = await failureOf(finish(site, { cookies, query: { state: query["state"] ?? "" } }))
    expect(error).toMatchObject({ type: "OAuthCallbackError", cause: { provider: "acme" } })
  })
})

describe("OID-38: finishOAuth with an iss parameter", () => {
  it.each<[string, Partial<OAuthConfig>, boolean]>([
    ["https://acme.test", { issuer: "https://acme.test" }, true],
    ["https://evil.test", { issuer: "https://acme.test" }, false],
    // Without a configured issuer there is nothing to compare with.
    ["https://evil.test", {}, true],
  ])("accepts %s with the options %j: %s", async (iss, provider, isAccepted) => {
    const error = await failureOf(signIn(siteWith({}, provider), { iss }))
    if (isAccepted) expect(error).toBeUndefined()
    else expect(error).toMatchObject({ type: "OAuthCallbackError", messageCode: "provider-answer-invalid" })
  })

  it.each<[Record<string, string>, Partial<OAuthConfig>, boolean]>([
    [{}, { issuer: "https://acme.test" }, true],
    [{ iss: "https://acme.test" }, { issuer: "https://acme.test" }, true],
    [{ iss: "https://evil.test" }, { issuer: "https://acme.test" }, false],
    [{ iss: "https://evil.test" }, {}, true],
  ])("attributes an error with %j to a provider with the options %j: %s", async (params, provider, isFromProvider) => {
    const error = await failureOf(signIn(siteWith({}, provider), { ...params, error: "redirect_uri_mismatch" }))
    const cause = isFromProvider
      ? { error: "redirect_uri_mismatch", redirect_uri: `${BASE}/callback/acme` }
      : { err: { message: expect.stringContaining('"iss"') } }
    expect(error).toMatchObject({ type: "OAuthCallbackError", cause: { provider: "acme", ...cause } })
  })
})

describe("resumeOAuth", () => {
  it("returns the flow, its callback URL and the choice to stay signed in, and clears its cookie", async () => {
    const site = createSite()
    const { cookies = {}, query = {} } = await callbackRequest(site)
    const call = await callOf(site, { cookies, query })
    expect(resumeOAuth(call, providerOf(site), site.runtime)).toEqual({
      pending: {
        response: { query, repeatedFields: [] },
        found: { flow: expect.objectContaining({ state: query["state"] }), id: expect.any(String) },
      },
      callbackUrl: ORIGIN,
      remember: false,
      isReauthentication: false,
      requiredQuery: "",
      key: query["state"],
      cookies: [{ drop: "state", part: hashFlowKey(query["state"] ?? "") }],
    })
  })

  it("identifies a response without a state by its code", async () => {
    const site = createSite({ checks: ["pkce"] })
    const call = await callOf(site, { query: { code: CODE } })
    expect(resumeOAuth(call, providerOf(site), site.runtime).key).toBe(CODE)
  })

  it("returns no callback URL if the browser has no flow", async () => {
    const site = createSite()
    const call = await callOf(site, { query: { code: CODE, state: "s" } })
    expect(resumeOAuth(call, providerOf(site), site.runtime)).toEqual({
      pending: { response: { query: { code: CODE, state: "s" }, repeatedFields: [] }, found: undefined },
      key: "s",
      cookies: [],
    })
  })
})

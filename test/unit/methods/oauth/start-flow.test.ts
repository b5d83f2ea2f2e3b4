import { findFlow } from "../../../../lib/methods/oauth/flow.js"
import type { OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import { callOf, createSite, providerOf, type StartRequest, startFlow } from "./test-site.js"

const AUTHORIZE = "https://acme.test/authorize"

/** Starts a flow at a provider with these options, and returns the flow and the authorization parameters. */
async function start(request: StartRequest, provider: Partial<OAuthConfig> = {}) {
  const site = createSite(provider)
  const { state, cookies, url } = await startFlow(site, request)
  const call = await callOf(site, { query: { state }, cookies })
  return { flow: findFlow(call, providerOf(site), site.runtime)?.flow, url }
}

/** The flow that a form with these fields starts. */
const flowOfForm = async (form: Record<string, string>, query: Record<string, string> = {}) =>
  (await start({ form, query })).flow

const withScope = (scope: string): Partial<OAuthConfig> => ({ authorization: { url: AUTHORIZE, params: { scope } } })

describe("the flow of startOAuth", () => {
  it("contains the choice to stay signed in only if the user has made it", async () => {
    expect((await flowOfForm({ remember: "on" }))?.remember).toBe(true)
    expect(await flowOfForm({})).not.toHaveProperty("remember")
  })

  it("contains that the user authenticates again, and the requirements of the reauthentication", async () => {
    const flow = await flowOfForm({ reauthenticate: "true", required: "max_age=60" }, { acr_values: "phr phrh" })
    expect(flow).toMatchObject({ isReauthentication: true, acrValues: "phr phrh", requiredQuery: "max_age=60" })
  })

  it("contains no configured acrValues, because they are only a hint", async () => {
    const { flow, url } = await start({ form: { reauthenticate: "true" } }, { acrValues: ["phr", "phrh"] })
    expect(url.searchParams.get("acr_values")).toBe("phr phrh")
    expect(flow).not.toHaveProperty("acrValues")
  })

  it("contains no requirements if the reauthentication has none", async () => {
    const flow = await flowOfForm({ reauthenticate: "true" })
    expect(flow?.isReauthentication).toBe(true)
    expect(flow).not.toHaveProperty("acrValues")
    expect(flow).not.toHaveProperty("requiredQuery")
  })

  it("contains no requirements of a sign-in, because acr_values are only a hint then", async () => {
    const flow = await flowOfForm({ required: "max_age=60" }, { acr_values: "phr" })
    expect(flow).toMatchObject({ provider: "acme" })
    for (const name of ["isReauthentication", "acrValues", "requiredQuery"]) expect(flow).not.toHaveProperty(name)
  })

  it.each([
    ["mail", "files"],
    ["mail", ""],
  ])("contains the scope %j of a link if the configured one is %j", async (scope, configured) => {
    const { flow } = await start({ query: { scope } }, { ...withScope(configured), allowScopeOverride: true })
    expect(flow?.scope).toBe(scope)
  })

  it.each<[Record<string, string>, string]>([
    [{ scope: "files" }, "files"],
    [{}, "files"],
    [{}, ""],
  ])("contains no scope with the link parameters %j if the configured scope is %j", async (query, configured) => {
    const { flow } = await start({ query }, { ...withScope(configured), allowScopeOverride: true })
    expect(flow).toMatchObject({ provider: "acme" })
    expect(flow).not.toHaveProperty("scope")
  })
})

describe("startOAuth with a request for access", () => {
  it("adds the requested scopes to the configured ones, each once", async () => {
    const access = { scope: "files mail files", accountId: "7" }
    const { flow, url } = await start({ access }, withScope("openid mail"))
    expect(url.searchParams.get("scope")).toBe("openid mail files")
    expect(flow).toMatchObject({ scope: "openid mail files", accountId: "7" })
  })

  it("sends the other parameters of the configuration and of the link, too", async () => {
    const options = { authorization: { url: AUTHORIZE, params: { scope: "openid", audience: "api" } } }
    const { url } = await start({ access: { scope: "mail", accountId: "7" }, query: { prompt: "consent" } }, options)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      scope: "openid mail",
      audience: "api",
      prompt: "consent",
    })
  })

  it("requests only the scopes of the access if the provider has no configured scope", async () => {
    const { flow, url } = await start({ access: { scope: "files mail", accountId: "7" } }, withScope(""))
    expect(url.searchParams.get("scope")).toBe("files mail")
    expect(flow?.scope).toBe("files mail")
  })

  it("sends no empty scope, which would be invalid (RFC 6749 §3.3)", async () => {
    const { flow, url } = await start({ access: { scope: "", accountId: "7" } }, withScope(""))
    expect(url.searchParams.has("scope")).toBe(false)
    expect(flow).not.toHaveProperty("scope")
  })

  it("joins the scopes with the provider's scopeSeparator, even if the request separates them by spaces", async () => {
    const options = { ...withScope("basic,mail"), scopeSeparator: "," }
    const { flow, url } = await start({ access: { scope: "files  mail", accountId: "7" } }, options)
    expect(url.searchParams.get("scope")).toBe("basic,mail,files")
    expect(flow?.scope).toBe("basic,mail,files")
  })

  it("stores no scope in the flow if the configuration has all of them", async () => {
    const { flow } = await start({ access: { scope: "mail", accountId: "7" } }, withScope("openid mail"))
    expect(flow?.accountId).toBe("7")
    expect(flow).not.toHaveProperty("scope")
  })

  it("stores no account in the flow of a sign-in that requests no access", async () => {
    const { flow, url } = await start({}, withScope("openid,mail openid"))
    expect(flow).not.toHaveProperty("accountId")
    // Without a request, the configured scope is sent unchanged.
    expect(url.searchParams.get("scope")).toBe("openid,mail openid")
  })
})

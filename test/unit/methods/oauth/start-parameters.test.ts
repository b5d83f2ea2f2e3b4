import type { OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import { createSite, startFlow } from "./test-site.js"

const AUTHORIZE = "https://acme.test/authorize"

/** Returns the authorization parameters at a provider without checks, which would override those of the link. */
async function paramsFor(query: Record<string, string>, provider: Partial<OAuthConfig> = {}) {
  const { url } = await startFlow(createSite({ checks: ["none"], ...provider }), { query })
  return Object.fromEntries(url.searchParams)
}

/** A provider with these authorization parameters in its configuration. */
const withParams = (params: Record<string, string>): Partial<OAuthConfig> => ({
  authorization: { url: AUTHORIZE, params },
})

describe("OID-42: startOAuth with a parameter in the sign-in link", () => {
  it.each(["prompt", "ui_locales", "x-hint", "a", "x1", "login_hint2", "challenge_code", "Login_Hint", "LOGIN_HINT"])(
    "passes on %j unchanged",
    async (name) => {
      expect(await paramsFor({ [name]: "said" })).toMatchObject({ [name]: "said" })
    },
  )

  it.each([
    ...["Response_Mode", "REQUEST_URI", "Request", "STATE", "Nonce", "Code_Challenge", "CODE_CHALLENGE_METHOD"],
    ...["redirect.uri", "redirect uri", "redirect_uri[]", "request[uri]", "client_secret[0]", "code.challenge"],
    ...[" state", "state ", "state\0", "_state", "-state", "1state", "[state", "é", "__proto__", ""],
  ])("ignores %j, which some servers read as a reserved parameter", async (name) => {
    expect(await paramsFor({ [name]: "evil" })).toEqual(await paramsFor({}))
  })

  it("overrides a configured parameter only in the same spelling", async () => {
    const strict = withParams({ prompt: "consent", x_rule: "own", organizationId: "acme" })
    const others = { Prompt: "none", X_RULE: "evil", organizationid: "evil", OrganizationID: "evil" }
    expect(await paramsFor(others, strict)).toEqual(await paramsFor({}, strict))
    expect(await paramsFor({ prompt: "login", organizationId: "said" }, strict)).toMatchObject({
      prompt: "login",
      organizationId: "said",
    })
  })
})

describe("startOAuth with a requested scope", () => {
  // No scope is configured, because other spellings of configured parameters are ignored in any case.
  const noScope = withParams({ scope: "" })

  it.each(["scope", "authorization_details"])("ignores %s in a link without allowScopeOverride", async (name) => {
    expect(await paramsFor({ [name]: "more" }, noScope)).toEqual(await paramsFor({}, noScope))
    expect(await paramsFor({ [name]: "more" }, { ...noScope, allowScopeOverride: true })).toMatchObject({
      [name]: "more",
    })
  })

  it.each(["Scope", "SCOPE", "Authorization_Details"])(
    "ignores %s even with allowScopeOverride, because its spelling differs",
    async (name) => {
      const open = { ...noScope, allowScopeOverride: true }
      expect(await paramsFor({ [name]: "more" }, open)).toEqual(await paramsFor({}, open))
    },
  )
})

describe("OID-52: startOAuth with a configured max_age", () => {
  const strict = withParams({ max_age: "60" })

  it.each(["0", "1", "59", "00000059", "000000059"])("lets a link lower max_age to %j", async (max_age) => {
    expect(await paramsFor({ max_age }, strict)).toMatchObject({ max_age })
  })

  it.each([
    ...["61", "100", "999999999", "", "never", "-1", "-61", "5e0", "1.5", "5.", "+5", "0x5", " 5", "5 "],
    // A value that is not lower leaves the configured value unchanged.
    ...["60", "060", "0000000059"],
  ])("ignores a max_age in a link that is not lower or not a number: %j", async (max_age) => {
    expect(await paramsFor({ max_age }, strict)).toMatchObject({ max_age: "60" })
  })

  it("sends no max_age if neither the link nor the configuration has one", async () => {
    expect(await paramsFor({})).not.toHaveProperty("max_age")
    expect(await paramsFor({ prompt: "login" }, strict)).toMatchObject({ max_age: "60", prompt: "login" })
  })

  it("ignores a max_age in a link if the configured one is not a number", async () => {
    expect(await paramsFor({ max_age: "5" }, withParams({ max_age: "never" }))).toMatchObject({ max_age: "never" })
  })
})

describe("startOAuth with a configured resource (RFC 8707)", () => {
  const resource = ["https://api.acme.test/", "https://files.acme.test/"]
  const urlFor = async (query: Record<string, string>, provider: Partial<OAuthConfig>) =>
    (await startFlow(createSite({ checks: ["none"], ...provider }), { query })).url

  it("sends each resource, and passes on the other parameters of a link", async () => {
    const { searchParams } = await urlFor({ prompt: "login" }, { resource })
    expect(searchParams.getAll("resource")).toEqual(resource)
    expect(searchParams.get("prompt")).toBe("login")
  })

  it.each(["resource", "Resource", "RESOURCE"])("ignores %s in a link", async (name) => {
    const changed = await urlFor({ [name]: "https://evil.test/" }, { resource })
    expect(changed.href).toBe((await urlFor({}, { resource })).href)
  })

  it("passes on the resource of a link if none is configured", async () => {
    const { searchParams } = await urlFor({ resource: "https://api.acme.test/" }, {})
    expect(searchParams.getAll("resource")).toEqual(["https://api.acme.test/"])
  })
})

import { prepareOAuth } from "../../../../lib/methods/oauth/prepare.js"
import type { OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import { MemoryStore } from "../../../../lib/store/memory.js"
import { createSite, providerOf } from "./test-site.js"

const ready = (provider: Partial<OAuthConfig> = {}) => providerOf(createSite(provider, { store: MemoryStore() }))

describe("the resources of a prepared provider (RFC 8707)", () => {
  const [api, files] = ["https://api.acme.test/", "https://files.acme.test/"]

  it.each<[string | readonly string[] | undefined, string[]]>([
    [undefined, []],
    [api, [api]],
    [
      [api, files],
      [api, files],
    ],
  ])("with the option %j are %j", (resource, expected) => {
    expect(ready(resource === undefined ? {} : { resource }).resources).toEqual(expected)
  })
})

describe("the options for the tokens of a prepared provider", () => {
  it("keep and renew tokens by default, and allow no API to receive them", () => {
    const { tokenRules, apiOrigins, scopeSeparator, usesDpop } = ready()
    expect(tokenRules).toEqual({ isStored: true, isRenewable: true, canonicalScope: expect.any(Function) })
    expect(tokenRules.canonicalScope("Mail.Read")).toBe("Mail.Read")
    expect([apiOrigins, scopeSeparator, usesDpop]).toEqual([new Set(), " ", false])
  })

  it("take the values of the configuration", () => {
    const { tokenRules, apiOrigins, scopeSeparator } = ready({
      token: { url: "https://acme.test/token", refresh: false },
      keepTokens: false,
      canonicalScope: (scope) => `https://acme.test/${scope}`,
      apiOrigins: ["https://api.acme.test", "https://files.acme.test"],
      scopeSeparator: ",",
    })
    expect(tokenRules).toMatchObject({ isStored: false, isRenewable: false })
    expect(tokenRules.canonicalScope("mail")).toBe("https://acme.test/mail")
    expect(apiOrigins).toEqual(new Set(["https://api.acme.test", "https://files.acme.test"]))
    expect(scopeSeparator).toBe(",")
    expect(ready({ dpop: true }).usesDpop).toBe(true)
  })

  it("renew tokens with the provider's own refresh request, too", () => {
    const token = { url: "https://acme.test/token", refresh: async () => new Response() }
    expect(ready({ token }).tokenRules.isRenewable).toBe(true)
  })
})

// The configuration check reports all of these options. A site may start without a client id, because then only
// sign-ins fail.
describe("prepareOAuth with invalid options", () => {
  const { config } = createSite().runtime
  const prepare = (options: Partial<OAuthConfig>) => {
    const definition = { id: "acme", name: "Acme", type: "oauth", clientId: "our-client" } as const
    // A union of two types of provider loses its members when it is spread.
    return prepareOAuth({ ...definition, ...options } as OAuthConfig, config)
  }

  it.each(["x_form_post", "jwt.query", "FORM_POST", "form-post"])("does not recognise the response_mode %s", (mode) => {
    const { usesFormPost, usesJwtResponse } = prepare({ authorization: { params: { response_mode: mode } } })
    expect([usesFormPost, usesJwtResponse]).toEqual([false, false])
  })

  it("sends an empty client id without the option clientId, so that the provider reports the error", () => {
    expect(prepare({ clientId: undefined }).client.client_id).toBe("")
  })

  it("passes an endpoint that is not a URL unchanged to the provider's own functions", () => {
    const { providerArgument } = prepare({ token: { url: "no URL", params: {} }, userinfo: { params: { a: 1 } } })
    expect(providerArgument).toMatchObject({ token: { url: "no URL" }, userinfo: { params: { a: 1 } } })
    expect(providerArgument).not.toHaveProperty("userinfo.url")
  })
})

import TheirApple from "@auth/express/providers/apple"
import Apple from "../../../../lib/providers/apple.js"
import AzureDevOps from "../../../../lib/providers/azure-devops.js"
import OIDC from "../../../../lib/providers/oidc.js"
import { createRuntime } from "../../../../lib/runtime.js"
import type { AuthConfig } from "../../../../lib/types.js"

const client = { clientId: "id", clientSecret: "secret" }
const ISSUER = "https://id.test"
const inline = (params: object) => ({
  ...{ id: "inline", name: "Inline", type: "oidc", issuer: ISSUER, ...client },
  authorization: { params },
})

function problemsOf(provider: unknown): string[] {
  const config = { providers: [provider], secret: "a secret for tests alone, of forty-eight letters", logger: {} }
  const { problems } = createRuntime(config as AuthConfig, { NODE_ENV: "test" })
  return problems.map(({ code, path, message }) => `${code} ${path} ${message}`)
}

const withParams = (params: Record<string, string>) => OIDC({ issuer: ISSUER, ...client, authorization: { params } })

describe("the authorization parameters of a provider", () => {
  it.each<[string, unknown]>([
    ["a profile without openid", withParams({ scope: "profile email" })],
    ["no scope at all", withParams({ scope: "" })],
    ["another word that contains openid", withParams({ scope: "openid2 xopenid" })],
    ["one in the address", OIDC({ issuer: ISSUER, ...client, authorization: `${ISSUER}/authorize?scope=profile` })],
    ["one of an object without a factory", inline({ scope: "profile" })],
  ])("may not have a scope without openid: %s", (_what, provider) => {
    expect(problemsOf(provider)).toEqual([
      expect.stringMatching(
        /^scope-without-openid providers\[0\]\.authorization\.params\.scope is ".*", without "openid".*Write "openid.*"$/,
      ),
    ])
  })

  it.each<[string, unknown]>([
    ["openid alone", withParams({ scope: "openid" })],
    ["openid among others", withParams({ scope: "email openid" })],
    ["none", OIDC({ issuer: ISSUER, ...client })],
    ["the one of a vendor that needs no openid", Apple(client)],
    ["a smaller one of such a vendor", Apple({ ...client, authorization: { params: { scope: "email" } } })],
    ["the same of Auth.js", TheirApple(client)],
  ])("may have %s as its scope", (_what, provider) => {
    expect(problemsOf(provider)).toEqual([])
  })

  it.each(["code id_token", "token", "id_token", "none"])("may not have the response_type %s", (response_type) => {
    expect(problemsOf(withParams({ response_type }))).toEqual([
      `response-type-unsupported providers[0].authorization.params.response_type is "${response_type}", and only the code flow is supported. Leave it out`,
    ])
  })

  it("may have the response_type code, and one of a provider with a token request of its own", () => {
    expect(problemsOf(withParams({ response_type: "code" }))).toEqual([])
    expect(problemsOf(AzureDevOps(client))).toEqual([])
  })

  it.each(["jwt", "query.jwt", "form_post.jwt", "fragment", "web_message"])(
    "may not have the response_mode %s",
    (response_mode) => {
      expect(problemsOf(withParams({ response_mode }))).toEqual([
        `response-mode-unsupported providers[0].authorization.params.response_mode is "${response_mode}", in which no answer can be read. Write "query" or "form_post"`,
      ])
    },
  )

  it.each(["query", "form_post"])("may have the response_mode %s", (response_mode) => {
    expect(problemsOf(withParams({ response_mode }))).toEqual([])
  })
})

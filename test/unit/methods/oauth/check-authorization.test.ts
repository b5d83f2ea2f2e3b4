import TheirApple from "@auth/express/providers/apple"
import { describeProblem } from "../../../../lib/errors/errors.js"
import Apple from "../../../../lib/providers/apple.js"
import AzureDevOps from "../../../../lib/providers/azure-devops.js"
import OIDC from "../../../../lib/providers/oidc.js"
import { createRuntime } from "../../../../lib/runtime/runtime.js"
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
  return problems.map((problem) => `${problem.code} ${describeProblem(problem)}`)
}

const withParams = (params: Record<string, string>) => OIDC({ issuer: ISSUER, ...client, authorization: { params } })

describe("createRuntime with authorization parameters", () => {
  it.each<[string, unknown]>([
    ["scopes without openid", withParams({ scope: "profile email" })],
    ["an empty scope", withParams({ scope: "" })],
    ["scopes that contain openid only as a part of a word", withParams({ scope: "openid2 xopenid" })],
    ["a scope in the address", OIDC({ issuer: ISSUER, ...client, authorization: `${ISSUER}/authorize?scope=profile` })],
    ["a provider that is a plain object", inline({ scope: "profile" })],
  ])("reports a scope without openid: %s", (_what, provider) => {
    expect(problemsOf(provider)).toEqual([
      expect.stringMatching(
        /^scope-without-openid providers\[0\]\.authorization\.params\.scope is ".*"\. Without "openid".*Write "openid.*"$/,
      ),
    ])
  })

  it.each<[string, unknown]>([
    ["only openid", withParams({ scope: "openid" })],
    ["openid and other scopes", withParams({ scope: "email openid" })],
    ["no scope", OIDC({ issuer: ISSUER, ...client })],
    ["the default scope of a provider that does not require openid", Apple(client)],
    ["a narrower scope of such a provider", Apple({ ...client, authorization: { params: { scope: "email" } } })],
    ["the same provider from Auth.js", TheirApple(client)],
  ])("accepts %s", (_what, provider) => {
    expect(problemsOf(provider)).toEqual([])
  })

  it.each(["code id_token", "token", "id_token", "none"])("reports the response_type %s", (response_type) => {
    expect(problemsOf(withParams({ response_type }))).toEqual([
      `option-invalid providers[0].authorization.params.response_type is "${response_type}", but only the code flow is supported. Remove it`,
    ])
  })

  it("accepts the response_type code, and another if the provider has its own token request", () => {
    expect(problemsOf(withParams({ response_type: "code" }))).toEqual([])
    expect(problemsOf(AzureDevOps(client))).toEqual([])
  })

  it.each(["fragment", "web_message", "fragment.jwt", "web_message.jwt"])(
    "reports the response_mode %s",
    (response_mode) => {
      expect(problemsOf(withParams({ response_mode }))).toEqual([
        `option-invalid providers[0].authorization.params.response_mode is "${response_mode}", which is not supported. Write one of "query", "form_post", "query.jwt", "form_post.jwt", "jwt"`,
      ])
    },
  )

  it.each(["query", "form_post", "query.jwt", "form_post.jwt", "jwt"])(
    "accepts the response_mode %s",
    (response_mode) => {
      expect(problemsOf(withParams({ response_mode }))).toEqual([])
    },
  )

  it("reports encrypted authorization responses", () => {
    const provider = OIDC({ issuer: ISSUER, ...client, client: { authorization_encrypted_response_alg: "RSA-OAEP" } })
    expect(problemsOf(provider)).toEqual([
      "option-invalid providers[0].client.authorization_encrypted_response_alg is set, but encrypted authorization responses are not supported. Remove it here and from the registration of the client at the provider",
    ])
  })
})

import { checkMetadata } from "../../../../lib/cli/doctor/metadata.js"
import { customFetch } from "../../../../lib/index.js"
import { createSite, providerOf } from "../../methods/oauth/test-site.js"

const METADATA = {
  issuer: "https://acme.test",
  authorization_endpoint: "https://acme.test/authorize",
  token_endpoint: "https://acme.test/token",
}

describe("checkMetadata", () => {
  it.each([
    ["require_pushed_authorization_requests", "endpoints-missing"],
    ["require_signed_request_object", "extension-required"],
  ])("reports an error if the provider sets %s", (name, code) => {
    const codesWith = (value: boolean) =>
      checkMetadata({ ...METADATA, [name]: value }, providerOf(createSite())).map((f) => `${f.level} ${f.code}`)
    expect(codesWith(true)).toEqual([`error ${code}`])
    expect(codesWith(false)).toEqual(["ok issuer-mismatch"])
  })

  it.each([
    [["tls_client_auth"], {}, ["error extension-required", "warning client-auth-unsupported"]],
    [["attest_jwt_client_auth"], {}, ["error extension-required", "warning client-auth-unsupported"]],
    [["tls_client_auth", "client_secret_post"], {}, ["warning client-auth-unsupported"]],
    [["tls_client_auth", "client_secret_basic"], {}, ["ok issuer-mismatch"]],
    [["tls_client_auth"], { client: { token_endpoint_auth_method: "tls_client_auth" } }, ["ok issuer-mismatch"]],
    [["tls_client_auth"], {}, ["warning client-auth-unsupported"], "with a fetch of its own"],
  ])(
    "with the supported methods of client authentication %j and the options %j reports %j",
    (methods, options, expected, own = "") => {
      const provider = providerOf(
        createSite({ ...options, ...((own || "client" in options) && { [customFetch]: fetch }) }),
      )
      const found = checkMetadata({ ...METADATA, token_endpoint_auth_methods_supported: methods }, provider)
      expect(found.map(({ level, code }) => `${level} ${code}`)).toEqual(expected)
    },
  )

  it("names the options to write for a provider that accepts only certificates", () => {
    const metadata = { ...METADATA, token_endpoint_auth_methods_supported: ["self_signed_tls_client_auth"] }
    const [required] = checkMetadata(metadata, providerOf(createSite()))
    expect(required).toMatchObject({
      cause:
        'the provider requires client authentication by self_signed_tls_client_auth: write { client: { token_endpoint_auth_method: "self_signed_tls_client_auth" } } and a customFetch, as in docs/oauth.md#client-certificates',
    })
  })

  it.each([
    [["query", "fragment"], undefined, []],
    [["query.jwt", "jwt"], undefined, ['authorization: { params: { response_mode: "query.jwt" } }']],
    [["query.jwt", "jwt"], "jwt", []],
    [["query"], "query.jwt", ['authorization: { params: { response_mode: "query" } }']],
    [["fragment"], undefined, ['at the provider, enable response_mode "query" for this client']],
  ])("warns if the response modes %j do not contain the configured one, %s", (modes, response_mode, fixes) => {
    const authorization = { url: METADATA.authorization_endpoint, params: { response_mode } }
    const found = checkMetadata(
      { ...METADATA, response_modes_supported: modes },
      providerOf(createSite({ authorization })),
    )
    const warnings = found.filter(({ level }) => level === "warning")
    expect(warnings.map(({ code, fix }) => [code, fix])).toEqual(fixes.map((fix) => ["extension-required", fix]))
  })
})

import { checkMetadata } from "../../../../lib/cli/doctor/issuer.js"
import { createSite, providerOf } from "../../methods/oauth/test-site.js"

const METADATA = {
  issuer: "https://acme.test",
  authorization_endpoint: "https://acme.test/authorize",
  token_endpoint: "https://acme.test/token",
}

describe("checkMetadata", () => {
  it.each([
    ["require_pushed_authorization_requests", "pushed-requests-required"],
    ["require_signed_request_object", "signed-requests-required"],
  ])("reports an error if the provider sets %s", (name, code) => {
    const codesWith = (value: boolean) =>
      checkMetadata({ ...METADATA, [name]: value }, providerOf(createSite())).map((f) => `${f.level} ${f.code}`)
    expect(codesWith(true)).toEqual([`error ${code}`])
    expect(codesWith(false)).toEqual(["ok issuer-mismatch"])
  })
})

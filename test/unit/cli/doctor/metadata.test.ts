import { checkMetadata } from "../../../../lib/cli/doctor/metadata.js"
import { createSite, providerOf } from "../../methods/oauth/test-site.js"

const METADATA = {
  issuer: "https://acme.test",
  authorization_endpoint: "https://acme.test/authorize",
  token_endpoint: "https://acme.test/token",
}

describe("checkMetadata", () => {
  it.each(["require_pushed_authorization_requests", "require_signed_request_object"])(
    "reports an error if the provider sets %s",
    (name) => {
      const codesWith = (value: boolean) =>
        checkMetadata({ ...METADATA, [name]: value }, providerOf(createSite())).map((f) => `${f.level} ${f.code}`)
      expect(codesWith(true)).toEqual(["error extension-required"])
      expect(codesWith(false)).toEqual(["ok issuer-mismatch"])
    },
  )
})

import BankIDNorway from "../../lib/providers/bankid-no.js"

const issuer = "https://auth.bankid.no/auth/realms/prod"
const { userinfoIssuerOf } = BankIDNorway()

/** The issuer that userinfo with this `iss` must have. */
const requiredIssuer = (iss: unknown, endpoint = "https://userinfo.bankid.no/userinfo") =>
  userinfoIssuerOf?.({ iss }, { issuer, endpoint })

describe("bankid-no", () => {
  it.each(["https://userinfo.bankid.no", "https://userinfo.bankid.no/", issuer])("accepts userinfo of %s", (iss) => {
    expect(requiredIssuer(iss)).toBe(iss)
  })

  it("accepts userinfo of an issuer with a path", () => {
    const service = "https://prototype.bankidnorge.no/tinfo-core-systemtest/"
    expect(requiredIssuer(service, `${service}userinfo`)).toBe(service)
  })

  it.each([
    "https://userinfo.bankid.no/userinfo",
    "https://userinfo.bankid.no.evil.test",
    "http://userinfo.bankid.no",
    "https://evil.test",
    "",
    1,
    null,
    undefined,
  ])("requires the id_token's issuer if userinfo names %j", (iss) => {
    expect(requiredIssuer(iss)).toBe(issuer)
  })
})

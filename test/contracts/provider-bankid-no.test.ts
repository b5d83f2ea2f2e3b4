import BankIDNorway from "../../lib/providers/bankid-no.js"

const issuer = "https://auth.bankid.no/auth/realms/prod"
const { userinfoIssuerOf } = BankIDNorway()

/** The required issuer in userinfo. */
const expected = (iss: unknown, endpoint = "https://userinfo.bankid.no/userinfo") =>
  userinfoIssuerOf?.({ iss }, { issuer, endpoint })

describe("bankid-no", () => {
  it.each(["https://userinfo.bankid.no", "https://userinfo.bankid.no/", issuer])("accepts userinfo of %s", (iss) => {
    expect(expected(iss)).toBe(iss)
  })

  it("accepts userinfo of an issuer with a path", () => {
    const service = "https://prototype.bankidnorge.no/tinfo-core-systemtest/"
    expect(expected(service, `${service}userinfo`)).toBe(service)
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
  ])("holds userinfo that says %j to the id_token's issuer", (iss) => {
    expect(expected(iss)).toBe(issuer)
  })
})

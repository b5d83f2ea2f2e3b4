/**
 * The Azure providers: issuers and accepted tokens by tenant.
 *
 * @module
 */

import AzureAD from "../../lib/providers/azure-ad.js"
import AzureADB2C from "../../lib/providers/azure-ad-b2c.js"
import FusionAuth from "../../lib/providers/fusionauth.js"

const GUID = "72f988bf-86f1-41af-91ab-2d7cd011db47"
const ISSUERS = {
  AUTH_AZURE_AD_ISSUER: `https://login.microsoftonline.com/${GUID}/v2.0`,
  AUTH_MICROSOFT_ENTRA_ID_ISSUER: "https://login.microsoftonline.com/organizations/v2.0",
}

describe("azure-ad", () => {
  afterEach(() => {
    for (const name of Object.keys(ISSUERS)) delete process.env[name]
  })

  it("uses its own tenant variable, else that of Microsoft Entra ID", () => {
    expect(AzureAD({}).issuer).toBe("https://login.microsoftonline.com/common/v2.0")
    process.env["AUTH_MICROSOFT_ENTRA_ID_ISSUER"] = ISSUERS.AUTH_MICROSOFT_ENTRA_ID_ISSUER
    expect(AzureAD({}).issuer).toBe(ISSUERS.AUTH_MICROSOFT_ENTRA_ID_ISSUER)
    process.env["AUTH_AZURE_AD_ISSUER"] = ISSUERS.AUTH_AZURE_AD_ISSUER
    expect(AzureAD({}).issuer).toBe(ISSUERS.AUTH_AZURE_AD_ISSUER)
  })

  it("accepts tokens of the listed tenants", () => {
    const { issuerOf } = AzureAD({ tenants: [GUID] })
    const common = "https://login.microsoftonline.com/common/v2.0"
    expect(issuerOf?.({ tid: GUID }, common)).toBe(ISSUERS.AUTH_AZURE_AD_ISSUER)
    expect(issuerOf?.({ tid: "f8cdef31-a31e-4b4a-93e4-5f571e91255a" }, common)).toBeUndefined()
  })
})

describe("azure-ad-b2c", () => {
  const HOST = "https://fabrikam.b2clogin.com"
  const configured = new URL(`${HOST}/fabrikam.onmicrosoft.com/B2C_1_sign_in/v2.0`)
  const { conformMetadata, issuerOf } = AzureADB2C({ issuer: configured.href })
  const conform = (issuer: string) => conformMetadata?.({ issuer }, configured)["issuer"]

  it.each([`${HOST}/${GUID}/v2.0/`, `${HOST}/tfp/${GUID}/b2c_1_sign_in/v2.0/`])(
    "accepts metadata of the tenant's own issuer, %s",
    (issuer) => {
      expect(conform(issuer)).toBe(configured.href)
      expect(issuerOf?.({ iss: issuer }, configured.href)).toBe(issuer)
    },
  )

  it.each([`https://evil.b2clogin.com/${GUID}/v2.0/`, "https://evil.test/", "", "no issuer"])(
    "rejects metadata of another issuer: %j",
    (issuer) => {
      expect(conform(issuer)).toBe(issuer)
    },
  )
})

describe("fusionauth", () => {
  const { token } = FusionAuth({ issuer: "https://acme.fusionauth.io" })
  const challenge = { "www-authenticate": 'Bearer realm="acme"' }

  it("accepts a response without FusionAuth's additional challenge", async () => {
    const repaired = await token.conform(Response.json({ access_token: "at" }, { headers: challenge }))
    expect(repaired.headers.get("www-authenticate")).toBeNull()
    expect(await repaired.json()).toEqual({ access_token: "at" })
  })

  it("keeps the challenge if the client was unknown", async () => {
    const answer = Response.json({ error: "invalid_client" }, { status: 401, headers: challenge })
    const kept = (await token.conform(answer)) ?? answer
    expect(kept.headers.get("www-authenticate")).toBe(challenge["www-authenticate"])
  })
})

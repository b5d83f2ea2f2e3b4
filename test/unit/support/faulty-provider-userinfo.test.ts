import { createHash } from "node:crypto"
import { compactDecrypt, createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose"
import { ALICE, type FaultyProvider, type SignedUserinfo, startFaultyProvider } from "../../support/faulty-provider.js"

const REDIRECT_URI = "http://app.test/auth/callback/oidc"

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider({ isPublic: true })
})
beforeEach(() => op.reset())
afterAll(() => op.close())

/** Signs in and requests the userinfo. */
async function requestUserinfo(userinfoJwt: SignedUserinfo): Promise<{ type: string | null; text: string }> {
  op.set({ userinfoJwt, checkPkce: false })
  const query = { client_id: op.client.clientId, redirect_uri: REDIRECT_URI, response_type: "code", scope: "openid" }
  const back = new URL(await op.authorize(`${op.base}/authorize?${new URLSearchParams(query)}`))
  const code = back.searchParams.get("code") ?? ""
  const form = { grant_type: "authorization_code", client_id: op.client.clientId, redirect_uri: REDIRECT_URI, code }
  const answer = await fetch(`${op.base}/token`, { method: "POST", body: new URLSearchParams(form) })
  const { access_token } = Object(await answer.json())
  const headers = { authorization: `Bearer ${access_token}` }
  const response = await fetch(`${op.base}/userinfo`, { headers })
  return { type: response.headers.get("content-type"), text: await response.text() }
}

const verify = (jwt: string) => {
  const keys = createRemoteJWKSet(new URL(op.base + op.jwksPath))
  return jwtVerify(jwt, keys, { issuer: op.issuer, audience: op.client.clientId })
}

describe("signed userinfo of the faulty provider", () => {
  it("is a JWT by the published key, and discovery announces it", async () => {
    const { type, text } = await requestUserinfo({})
    expect(type).toBe("application/jwt")
    expect((await verify(text)).payload).toEqual({ ...ALICE, iss: op.issuer, aud: op.client.clientId })
    expect(op.secrets).toContain(text)
    const document = await (await fetch(`${op.base}/.well-known/openid-configuration`)).json()
    expect(document).toMatchObject({ userinfo_signing_alg_values_supported: ["RS256", "ES256"] })
  })

  it("is off by default", async () => {
    await requestUserinfo({})
    op.reset()
    const document = await (await fetch(`${op.base}/.well-known/openid-configuration`)).json()
    expect(document).not.toHaveProperty("userinfo_signing_alg_values_supported")
  })

  it("can have a wrong signature or none, independently of the id_token", async () => {
    await expect(verify((await requestUserinfo({ sig: "other-key" })).text)).rejects.toThrow(
      "signature verification failed",
    )
    await expect(verify((await requestUserinfo({ kid: "unknown" })).text)).rejects.toThrow("no applicable key")
    expect(decodeProtectedHeader((await requestUserinfo({ alg: "nOnE" })).text)).toMatchObject({ alg: "nOnE" })
    expect(decodeProtectedHeader((await requestUserinfo({ alg: "HS256-public-key" })).text)).toMatchObject({
      alg: "HS256",
    })
  })

  it("can have other claims, another content type, and be encrypted", async () => {
    expect(decodeJwt((await requestUserinfo({ claims: () => ({ sub: "bob" }) })).text)).toEqual({ sub: "bob" })
    expect((await requestUserinfo({ contentType: "text/plain" })).type).toBe("text/plain")
    const { text } = await requestUserinfo({ encrypted: true })
    const { plaintext } = await compactDecrypt(text, createHash("sha256").update(op.client.clientSecret).digest())
    expect((await verify(Buffer.from(plaintext).toString())).payload).toMatchObject({ sub: "alice" })
  })
})

import { createHash } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { decodeJwt, decodeProtectedHeader } from "jose"
import { devProvider } from "../../lib/testing.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { BASIC, CLIENT, get, type Params, relyingParty, VERIFIER } from "./support/relying-party.js"

failOnUnhandled()

const EVERY_CLAIM = {
  ...{ name: "1", family_name: "1", given_name: "1", middle_name: "1", nickname: "1", preferred_username: "1" },
  ...{
    profile: "1",
    picture: "1",
    website: "1",
    gender: "1",
    birthdate: "1",
    zoneinfo: "1",
    locale: "1",
    updated_at: 1,
  },
  ...{ email: "1", email_verified: true, address: {}, phone_number: "1", phone_number_verified: true, groups: ["1"] },
}

let now = Date.now()
const dev = devProvider({ port: 0, ...CLIENT, clock: () => now })
const { answerTo, codeFor, post, redeem, refresh, userinfo } = relyingParty(dev)

beforeAll(() => dev.listen())
beforeEach(() => {
  dev.reset()
  now = Date.now()
})
afterAll(() => dev.close())

const encoded = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`
const keyId = async () => Object(await (await get(`${dev.issuer}/jwks`)).json()).keys[0].kid

describe("the tokens of devProvider()", () => {
  it("say what they are", async () => {
    const { body } = await redeem(await codeFor({ scope: "openid email" }))
    const text = expect.any(String)
    const answer = { access_token: text, token_type: "Bearer", expires_in: 3600, scope: "openid email", id_token: text }
    expect(body).toEqual(answer)
    const hash = createHash("sha256").update(String(body["access_token"])).digest()
    const iat = Math.floor(now / 1000)
    expect(decodeJwt(String(body["id_token"]))).toEqual({
      ...{ iss: dev.issuer, aud: "the app", sub: "alice", iat, exp: iat + 3600, auth_time: iat, nonce: "a-nonce" },
      ...{ at_hash: hash.subarray(0, 16).toString("base64url"), email: "alice@example.com", email_verified: true },
    })
    const header = decodeProtectedHeader(String(body["id_token"]))
    expect(header).toEqual({ alg: "RS256", typ: "JWT", kid: await keyId() })
  })

  it("have a nonce of the request alone", async () => {
    dev.next({ claims: { nonce: "of a person" } })
    const { body } = await redeem((await answerTo({ nonce: undefined })).get("code") ?? "")
    expect(decodeJwt(String(body["id_token"]))).not.toHaveProperty("nonce")
  })

  it.each<[string, readonly (keyof typeof EVERY_CLAIM)[]]>([
    ["", []],
    [
      "profile",
      [
        ...(["name", "family_name", "given_name", "middle_name", "nickname", "preferred_username"] as const),
        ...(["profile", "picture", "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"] as const),
      ],
    ],
    ["email", ["email", "email_verified"]],
    ["address", ["address"]],
    ["phone", ["phone_number", "phone_number_verified"]],
  ])("have the claims of the scope %j, and a person's own", async (scope, claims) => {
    dev.users.set("eve", EVERY_CLAIM)
    dev.next({ as: "eve" })
    const { body } = await redeem((await answerTo({ scope: `openid ${scope}`.trim() })).get("code") ?? "")
    const said = await (await userinfo(body["access_token"])).json()
    expect(Object.keys(said).sort()).toEqual(["sub", "groups", ...claims].sort())
  })

  it("last an hour, to refresh them a month", async () => {
    const { body } = await redeem(await codeFor({ scope: "openid offline_access" }))
    const other = await redeem(await codeFor({ scope: "openid offline_access" }))
    now += 3_599_000
    expect((await userinfo(body["access_token"])).status).toBe(200)
    now += 29 * 24 * 3_600_000
    expect((await refresh(body["refresh_token"])).status).toBe(200)
    now += 24 * 3_600_000
    const late = await refresh(other.body["refresh_token"])
    expect(late.body).toEqual({
      error: "invalid_grant",
      error_description: "the refresh token is unknown, used or revoked",
    })
  })

  it("are signed with the same key until it is changed", async () => {
    const before = await keyId()
    await redeem(await codeFor())
    expect(await keyId()).toBe(before)
    dev.next({ mode: "new-keys" })
    await answerTo()
    const after = await keyId()
    expect(after).not.toBe(before)
    await dev.rotateKeys()
    expect(await keyId()).not.toBe(after)
  })

  it("let the application wait in the mode slow, for seconds where nothing else is said", async () => {
    dev.next({ mode: "slow" })
    const code = (await answerTo()).get("code") ?? ""
    const gone = new AbortController()
    const body = new URLSearchParams({ grant_type: "authorization_code", code, code_verifier: VERIFIER })
    body.set("redirect_uri", "http://localhost:3000/auth/callback/dev")
    const headers = { authorization: BASIC }
    const answer = fetch(`${dev.issuer}/token`, { method: "POST", body, headers, signal: gone.signal })
    expect(await Promise.race([answer, delay(300, "not yet")])).toBe("not yet")
    gone.abort()
    await expect(answer).rejects.toThrow()
  })
})

describe("the token endpoint of devProvider()", () => {
  const NO_CLIENT = [401, "invalid_client", "the client is unknown"]
  const NO_SECRET = [401, "invalid_client", "the secret is wrong or missing"]
  const wrong = (text: string) => [400, "invalid_grant", text]

  it.each<[string, Params, Record<string, string> | undefined, readonly unknown[]]>([
    ["no credentials", {}, {}, NO_CLIENT],
    ["an id alone", { client_id: "the app" }, {}, NO_SECRET],
    ["a wrong secret", {}, { authorization: encoded("the+app:p") }, NO_SECRET],
    ["a secret without its client", { client_secret: CLIENT.clientSecret }, {}, NO_CLIENT],
    ["another scheme", {}, { authorization: `Not${BASIC}` }, NO_CLIENT],
    ["more behind the credentials", {}, { authorization: `${BASIC} x` }, NO_CLIENT],
    [
      "credentials that can't be decoded",
      {},
      { authorization: encoded("%:%") },
      [401, "invalid_client", "the Authorization header cannot be decoded"],
    ],
    ["an unknown code", { code: "x" }, undefined, wrong("the code is unknown or has expired")],
    [
      "another address",
      { redirect_uri: "http://localhost:3000/" },
      undefined,
      wrong("redirect_uri differs from that of the authorization request"),
    ],
    [
      "another verifier",
      { code_verifier: "x" },
      undefined,
      wrong("code_verifier does not match the code_challenge of the authorization request"),
    ],
    [
      "another grant",
      { grant_type: "password" },
      undefined,
      [400, "unsupported_grant_type", "grant_type must be authorization_code or refresh_token"],
    ],
  ])("says what it refuses: %s", async (_, over, headers, told) => {
    const { status, body, headers: answered } = await redeem(await codeFor(), over, headers)
    expect([status, body["error"], body["error_description"]]).toEqual(told)
    const challenge = status === 401 ? 'Basic realm="dev-provider"' : null
    expect([answered.get("www-authenticate"), answered.get("content-type")]).toEqual([challenge, "application/json"])
  })

  it("says that a code came twice, or a parameter", async () => {
    const code = await codeFor()
    await redeem(code)
    expect((await redeem(code)).body["error_description"]).toBe(
      "the code was redeemed before; its tokens are now revoked",
    )
    const headers = { authorization: BASIC, "content-type": "application/x-www-form-urlencoded" }
    const { body } = await post("code=a&code=b", headers)
    expect(body).toEqual({ error: "invalid_request", error_description: '"code" is repeated' })
  })

  it.each([
    ["a secret with a bare colon", encoded("the+app:p:a%2Bs%25s")],
    ["a scheme in small letters", BASIC.replace("Basic", "basic")],
  ])("takes %s", async (_, authorization) => {
    expect((await redeem(await codeFor(), {}, { authorization })).status).toBe(200)
  })

  it("reads 64,000 bytes and no more", async () => {
    const ofLength = (length: number) => post(`code=${"a".repeat(length - 5)}`)
    expect((await ofLength(64_000)).body["error"]).toBe("unsupported_grant_type")
    const { status, body } = await ofLength(64_001)
    expect([status, body]).toEqual([413, { error: "invalid_request", error_description: "the body is too long" }])
  })
})

describe("the userinfo endpoint of devProvider()", () => {
  it.each([
    ["no token", () => ({})],
    ["another scheme", (token: string) => ({ authorization: `NotBearer ${token}` })],
    ["more behind the token", (token: string) => ({ authorization: `Bearer ${token} x` })],
  ])("refuses %s", async (_, headersFor) => {
    const { body } = await redeem(await codeFor())
    const answer = await get(`${dev.issuer}/userinfo`, headersFor(String(body["access_token"])))
    expect([answer.status, await answer.json()]).toEqual([401, { error: "invalid_token" }])
  })
})

import { generateKeyPairSync, sign } from "node:crypto"
import type { ProviderCase } from "../support/catalogue.js"

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const KID = "JWT-Signature-Key"

/** A token like the documented one, signed with the private key of the published key. */
function accessToken(): string {
  const claims = {
    scp: "publicData",
    jti: "998e12c7-3241-43c5-8355-2c48822e0a1b",
    kid: KID,
    sub: "CHARACTER:EVE:123123",
    azp: "the-client",
    tenant: "tranquility",
    tier: "live",
    region: "world",
    aud: ["the-client", "EVE Online"],
    name: "Some Bloke",
    owner: "8PmzCeTKb4VFUDrHLc/AeZXDSWM=",
    exp: 4102444800,
    iat: 1648562018,
    iss: "https://login.eveonline.com",
  }
  const parts = [{ alg: "RS256", kid: KID, typ: "JWT" }, claims]
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")
  return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`
}

/** @see https://developers.eveonline.com/docs/services/sso/ */
export default {
  start: { url: "https://login.eveonline.com/v2/oauth/authorize", params: { scope: "publicData" } },
  checks: ["state"],
  token: {
    url: "https://login.eveonline.com/v2/oauth/token",
    answer: {
      access_token: accessToken(),
      expires_in: 1199,
      token_type: "Bearer",
      refresh_token: "gEyuYF_rf...ofM0",
    },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: "Authorization code not found." },
    },
  },
  api: {
    "GET https://login.eveonline.com/oauth/jwks": {
      sent: { authorization: "" },
      body: {
        keys: [{ alg: "RS256", kid: KID, use: "sig", ...publicKey.export({ format: "jwk" }) }],
        SkipUnresolvedJsonWebKeys: true,
      },
    },
  },
  id: "CharacterID",
  user: {
    id: "123123",
    name: "Some Bloke",
    email: null,
    image: "https://images.evetech.net/characters/123123/portrait?size=128",
  },
  differs: {
    userinfo: "reads the profile from the access token; the endpoint that Auth.js requests is deprecated",
    user: "takes pictures from the documented host images.evetech.net",
  },
} satisfies ProviderCase

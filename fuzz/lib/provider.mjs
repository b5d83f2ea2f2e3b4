/**
 * An OpenID provider without a network. Each of its responses can be replaced.
 *
 * @module
 */
import { generateKeyPairSync, sign } from "node:crypto"
import { customFetch } from "../../dist/index.js"
import { openSite } from "./site.mjs"

export const ISSUER = "https://op.test"
export const CLIENT_ID = "the-client"

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })

const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  userinfo_endpoint: `${ISSUER}/userinfo`,
  jwks_uri: `${ISSUER}/jwks`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256"],
}

/** The public key for verification. */
export const PUBLIC_KEY = publicKey.export({ format: "jwk" })
const KEYS = { keys: [{ ...PUBLIC_KEY, kid: "key", alg: "ES256", use: "sig" }] }

const base64url = (text) => Buffer.from(text).toString("base64url")

/** A token with a valid signature over any content. */
export function signed(header, claims) {
  const content = `${base64url(header)}.${base64url(claims)}`
  const signature = sign("sha256", Buffer.from(content), { key: privateKey, dsaEncoding: "ieee-p1363" })
  return `${content}.${signature.toString("base64url")}`
}

const HEADER = JSON.stringify({ alg: "ES256", kid: "key" })

const claimsFor = (nonce) => {
  const now = Math.floor(Date.now() / 1000)
  return { iss: ISSUER, aud: CLIENT_ID, sub: "ada", nonce, iat: now, exp: now + 300, email: "ada@app.test" }
}

/** The valid response of the token endpoint. */
const tokensFor = (nonce) => ({
  access_token: "an-access-token",
  token_type: "bearer",
  expires_in: 300,
  id_token: signed(HEADER, JSON.stringify(claimsFor(nonce))),
})

const json = (value) => Response.json(value)

/** Statuses whose responses have no body. */
const BODILESS = new Set([204, 205, 304])

/** The response with this body. A first line of three digits is its status. */
export function answerOf(bytes) {
  const [, digits, rest] = /^(\d{3})\n(.*)$/s.exec(Buffer.from(bytes).toString("latin1")) ?? []
  const status = Number(digits)
  if (!(status >= 200 && status < 600)) return new Response(bytes, { headers: { "content-type": "application/json" } })
  const body = BODILESS.has(status) ? null : Buffer.from(rest ?? "", "latin1")
  return new Response(body, { status, headers: { "content-type": "application/json" } })
}

/** The provider; `answers` replaces its valid responses. */
function providerWith(answers, nonceOf) {
  const honest = {
    "/.well-known/openid-configuration": () => json(METADATA),
    "/jwks": () => json(KEYS),
    "/token": () => json(tokensFor(nonceOf())),
    "/userinfo": () => json({ sub: "ada", name: "Ada", email: "ada@app.test", email_verified: true }),
  }
  return async (url) => {
    const { pathname } = new URL(url)
    const answer = answers[pathname] ?? honest[pathname]
    return answer ? answer(nonceOf()) : new Response("not found", { status: 404 })
  }
}

/** A site with this provider, and a function for a whole sign-in. */
export async function openProviderSite({ answers = {}, provider = {}, config = {}, mayLeadTo = ISSUER } = {}) {
  let nonce = ""
  const site = await openSite({
    mayLeadTo: [mayLeadTo],
    providers: [
      {
        ...{ id: "oidc", name: "Test", type: "oidc", issuer: ISSUER, clientId: CLIENT_ID, clientSecret: "hidden" },
        [customFetch]: providerWith(answers, () => nonce),
        ...provider,
      },
    ],
    ...config,
  })
  async function signIn() {
    const { location, cookie } = await site.begin()
    // After a failed discovery there is no redirect to the provider.
    if (location.origin !== mayLeadTo) return { nonce: "", response: undefined }
    nonce = location.searchParams.get("nonce") ?? ""
    const answer = new URLSearchParams({ code: "a-code", state: location.searchParams.get("state") ?? "" })
    return { nonce, response: await site.get(`/auth/callback/oidc?${answer}`, cookie) }
  }
  return { site, signIn }
}

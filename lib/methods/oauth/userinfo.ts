import * as oauth from "oauth4webapi"
import { Fault } from "../../error-codes.js"
import { asError } from "../../errors.js"
import { defined, isPlainObject } from "../../merge.js"
import type { Profile } from "../../types.js"
import { withClocks } from "./clocks.js"
import { peekClaims } from "./id-token.js"
import { reasonOf } from "./reason.js"
import { requireSignature, type Signed } from "./signature.js"
import { clientAt, type Exchange, type ExchangedTokens, requestOptions } from "./token-request.js"

const USERINFO: Signed = {
  name: "the userinfo answer",
  code: "userinfo-signature-wrong",
  registeredAs: "userinfo_signed_response_alg",
}
/** Of the compact serialisation of a JWE (RFC 7516 §3.1). */
const ENCRYPTED_PARTS = 5

type IdTokenClaims = Readonly<Record<string, unknown>>

/** What the provider says of the user: the id_token's claims, or what its userinfo endpoint answers. */
export async function readProfile(exchange: Exchange, exchanged: ExchangedTokens): Promise<Profile> {
  const { provider } = exchange
  const { claims } = exchanged
  if (!claims || provider.prefersUserinfo) return requestUserinfo(exchange, exchanged)
  const missing = missingClaims(claims, exchanged.tokens, exchange)
  if (missing.length === 0) return claims
  try {
    return completed(claims, await requestUserinfo(exchange, exchanged))
  } catch (error) {
    const message = `${asError(error).message}; userinfo was asked because the id_token has no ${missing.join(" and no ")}, and idToken: true on the provider does without it`
    throw new Fault(reasonOf(error) ?? "provider-answer-invalid", message, { cause: error })
  }
}

/** What a user is made of: the claim, and the scope that promises it (OpenID Connect Core §5.4). */
const PROMISED = [
  ["name", "profile"],
  ["email", "email"],
] as const

const isEmpty = (claim: unknown): boolean => claim === undefined || claim === null || claim === ""

/** The claims that the granted scopes promise, the id_token lacks, and userinfo may have. */
function missingClaims(claims: IdTokenClaims, { scope }: ExchangedTokens["tokens"], { as, provider }: Exchange) {
  if (!provider.completesIdToken || !(as.userinfo_endpoint || provider.userinfo.request)) return []
  // RFC 6749 §5.1: without a scope in the answer what was asked for is granted.
  const granted = new Set((scope ?? provider.authorizationParams["scope"] ?? "").split(" "))
  return PROMISED.filter(([claim, promisedBy]) => granted.has(promisedBy) && isEmpty(claims[claim])).map(
    ([claim]) => claim,
  )
}

/** The id_token's claims, and what userinfo has beside them. An address and its proof come from one of the two. */
function completed(claims: IdTokenClaims, userinfo: Profile): Profile {
  const known = Object.fromEntries(Object.entries(claims).filter(([, value]) => !isEmpty(value)))
  const { email, email_verified }: IdTokenClaims = isEmpty(claims["email"]) ? userinfo : claims
  // Each is a claim of one of the two, and both have the members of a profile.
  return { ...userinfo, ...known, ...defined({ email, email_verified }) } as Profile
}

/** What the userinfo endpoint answers, of the id_token's subject where there is one. */
async function requestUserinfo(exchange: Exchange, exchanged: ExchangedTokens): Promise<Profile> {
  const { provider } = exchange
  const { claims } = exchanged
  const profile = provider.userinfo.request
    ? await requestByProvider(exchange, exchanged)
    : claims
      ? await requestOpenId(exchange, exchanged, claims)
      : await requestPlain(exchange, exchanged)
  // Core §5.3.2: otherwise it may be somebody else's.
  if (claims && profile.sub !== claims["sub"]) throw new Error("userinfo is of another subject than the id_token")
  return profile
}

async function requestByProvider({ provider, fetch }: Exchange, { tokens }: ExchangedTokens): Promise<Profile> {
  const answer: unknown = await provider.userinfo.request?.({ tokens, provider: provider.view, fetch })
  return isPlainObject(answer) ? answer : {}
}

/** OpenID Connect Core §5.3. */
async function requestOpenId(
  exchange: Exchange,
  { tokens }: ExchangedTokens,
  idToken: IdTokenClaims,
): Promise<Profile> {
  const { as, provider, nowMs } = exchange
  const options = requestOptions(exchange, as.userinfo_endpoint)
  const response = await oauth.userInfoRequest(as, provider.client, tokens.access_token, options)
  if (response.status !== 200)
    throw new Fault("provider-unreachable", `${as.userinfo_endpoint} answered with status ${response.status}`)
  if (!isJwt(response)) return readPlain(response, exchange, idToken)
  try {
    return await readSigned((await response.text()).trim(), exchange, idToken)
  } catch (error) {
    throw withClocks(error, response, nowMs)
  }
}

/** Wider than the library's own comparison: what it takes for a JWT must not pass as anything else here. */
const isJwt = ({ headers }: Response): boolean =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() === "application/jwt"

/** Whoever is registered for a signature takes nothing less. */
async function readPlain(response: Response, { as, provider }: Exchange, idToken: IdTokenClaims): Promise<Profile> {
  const alg = provider.client[USERINFO.registeredAs]
  if (alg) throw new Fault(USERINFO.code, `${USERINFO.name} is not signed, and this client is registered for ${alg}`)
  return { ...(await oauth.processUserInfoResponse(as, provider.client, String(idToken["sub"]), response)) }
}

/** A signed answer, validated as Core §5.3.2 and §5.3.4 want it. */
async function readSigned(jwt: string, { as, provider, nowMs }: Exchange, idToken: IdTokenClaims): Promise<Profile> {
  if (jwt.split(".").length === ENCRYPTED_PARTS)
    throw new Error("the userinfo answer is encrypted: register the client without userinfo_encrypted_response_alg")
  await requireSignature(jwt, USERINFO, { as, provider })
  const issuer = String(idToken["iss"])
  const expected = provider.userinfoIssuerOf
    ? provider.userinfoIssuerOf(peekClaims(jwt, USERINFO.name), { issuer, endpoint: as.userinfo_endpoint ?? "" })
    : issuer
  if (!expected) throw new Fault("issuer-mismatch", "the userinfo answer is of an issuer that is not allowed")
  const answer = new Response(jwt, { headers: { "content-type": "application/jwt" } })
  const claims = await oauth.processUserInfoResponse(
    { ...as, issuer: expected },
    clientAt(provider, nowMs),
    String(idToken["sub"]),
    answer,
  )
  return { ...claims }
}

/** RFC 6750 §2.1: the token goes into a header, never into an address. */
async function requestPlain(exchange: Exchange, { tokens }: ExchangedTokens): Promise<Profile> {
  const url = exchange.as.userinfo_endpoint
  if (!url) throw new Error("the provider has no userinfo endpoint")
  requestOptions(exchange, url)
  const response = await exchange.fetch(url, {
    headers: { accept: "application/json", authorization: `Bearer ${tokens.access_token}`, "user-agent": "latchkey" },
  })
  if (!response.ok) throw new Fault("provider-unreachable", `${url} answered with status ${response.status}`)
  const answer: unknown = await response.json().catch(() => undefined)
  if (!isPlainObject(answer)) throw new Error(`${url} did not answer with a JSON object`)
  return answer
}

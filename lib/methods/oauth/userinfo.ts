import * as oauth from "oauth4webapi"
import { defined, isPlainObject } from "../../base/merge.js"
import type { Profile } from "../../base/types.js"
import { CodedError } from "../../errors/error-codes.js"
import { asError } from "../../errors/errors.js"
import { explainClockSkew } from "./clock-skew.js"
import { sendWithNonce, sendWithProof } from "./dpop.js"
import { peekClaims } from "./id-token.js"
import { readReason } from "./reason.js"
import { isEncrypted } from "./requirements.js"
import { requireSignature, type Signed } from "./signature.js"
import { clientAt, type Exchange, type ExchangedTokens, requestOptions } from "./token-request.js"

const USERINFO: Signed = {
  name: "the userinfo response",
  registeredAs: "userinfo_signed_response_alg",
}

type IdTokenClaims = Readonly<Record<string, unknown>>

/** Returns the user's claims, from the id_token or from the userinfo endpoint, or from both. */
export async function readProfile(exchange: Exchange, exchanged: ExchangedTokens): Promise<Profile> {
  const { provider } = exchange
  const { claims } = exchanged
  if (!claims || provider.prefersUserinfo) return requestUserinfo(exchange, exchanged)
  const missing = missingClaims(claims, exchanged.tokens, exchange)
  if (missing.length === 0) return claims
  try {
    return mergeClaims(claims, await requestUserinfo(exchange, exchanged))
  } catch (error) {
    const message = `${asError(error).message}; userinfo was requested because the id_token has no ${missing.join(" and no ")}. To skip this request, set idToken: true on the provider`
    throw new CodedError(readReason(error) ?? "provider-answer-invalid", message, { cause: error })
  }
}

/** The claims of a user, each with the scope that requests it (OpenID Connect Core §5.4). */
const SCOPES_OF_CLAIMS = [
  ["name", "profile"],
  ["email", "email"],
] as const

const isEmpty = (claim: unknown): boolean => claim === undefined || claim === null || claim === ""

/** Lists the claims that the granted scopes include, the id_token lacks, and userinfo may have. */
function missingClaims(claims: IdTokenClaims, { scope }: ExchangedTokens["tokens"], { as, provider }: Exchange) {
  if (!provider.completesIdToken || !(as.userinfo_endpoint || provider.userinfo.request)) return []
  // RFC 6749 §5.1: if the token response has no scope, the requested scope is granted.
  const granted = new Set((scope ?? provider.authorizationParams["scope"] ?? "").split(" "))
  return SCOPES_OF_CLAIMS.filter(([claim, byScope]) => granted.has(byScope) && isEmpty(claims[claim])).map(
    ([claim]) => claim,
  )
}

/** Adds the claims of userinfo to those of the id_token. `email` and `email_verified` come from the same source. */
function mergeClaims(claims: IdTokenClaims, userinfo: Profile): Profile {
  const nonEmpty = Object.fromEntries(Object.entries(claims).filter(([, value]) => !isEmpty(value)))
  const { email, email_verified }: IdTokenClaims = isEmpty(claims["email"]) ? userinfo : claims
  // Both sources have the members of a profile.
  return { ...userinfo, ...nonEmpty, ...defined({ email, email_verified }) } as Profile
}

/** Requests userinfo. If there is an id_token, userinfo must have the same subject. */
async function requestUserinfo(exchange: Exchange, exchanged: ExchangedTokens): Promise<Profile> {
  const { provider } = exchange
  const { claims } = exchanged
  const profile = provider.userinfo.request
    ? await requestByProvider(exchange, exchanged)
    : claims
      ? await requestOpenId(exchange, exchanged, claims)
      : await requestPlain(exchange, exchanged)
  // Core §5.3.2: otherwise userinfo may belong to another user.
  if (claims && profile.sub !== claims["sub"])
    throw new Error("the sub of the userinfo response differs from that of the id_token")
  return profile
}

async function requestByProvider({ provider, fetch }: Exchange, { tokens }: ExchangedTokens): Promise<Profile> {
  const profile: unknown = await provider.userinfo.request?.({ tokens, provider: provider.providerArgument, fetch })
  return isPlainObject(profile) ? profile : {}
}

/** OpenID Connect Core §5.3. */
async function requestOpenId(
  exchange: Exchange,
  { tokens }: ExchangedTokens,
  idToken: IdTokenClaims,
): Promise<Profile> {
  const { as, provider, nowMs } = exchange
  const options = requestOptions(exchange, as.userinfo_endpoint)
  const response = await sendWithNonce(exchange.dpop, () =>
    oauth.userInfoRequest(as, provider.client, tokens.access_token, options),
  )
  if (response.status !== 200)
    throw new CodedError("provider-unreachable", `${as.userinfo_endpoint} answered with status ${response.status}`)
  if (!isJwt(response)) return readPlain(response, exchange, idToken)
  try {
    return await readSigned((await response.text()).trim(), exchange, idToken)
  } catch (error) {
    throw explainClockSkew(error, response, nowMs)
  }
}

/** Broader than the check of `oauth4webapi`: each response that the library treats as a JWT must be verified here. */
const isJwt = ({ headers }: Response): boolean =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() === "application/jwt"

/** Reads an unsigned response. It is rejected if the client is registered for signed ones. */
async function readPlain(response: Response, { as, provider }: Exchange, idToken: IdTokenClaims): Promise<Profile> {
  const alg = provider.client[USERINFO.registeredAs]
  if (alg)
    throw new CodedError("signature-wrong", `${USERINFO.name} is not signed, and this client is registered for ${alg}`)
  return { ...(await oauth.processUserInfoResponse(as, provider.client, String(idToken["sub"]), response)) }
}

/** Reads a signed response, and validates it by Core §5.3.2 and §5.3.4. */
async function readSigned(jwt: string, { as, provider, nowMs }: Exchange, idToken: IdTokenClaims): Promise<Profile> {
  if (isEncrypted(jwt))
    throw new Error("the userinfo response is encrypted: register the client without userinfo_encrypted_response_alg")
  await requireSignature(jwt, USERINFO, { as, provider })
  const issuer = String(idToken["iss"])
  const expected = provider.userinfoIssuerOf
    ? provider.userinfoIssuerOf(peekClaims(jwt, USERINFO.name), { issuer, endpoint: as.userinfo_endpoint ?? "" })
    : issuer
  if (!expected) throw new CodedError("issuer-mismatch", "the issuer of the userinfo response is not allowed")
  const response = new Response(jwt, { headers: { "content-type": "application/jwt" } })
  const claims = await oauth.processUserInfoResponse(
    { ...as, issuer: expected },
    clientAt(provider, nowMs),
    String(idToken["sub"]),
    response,
  )
  return { ...claims }
}

/** RFC 6750 §2.1: the token is sent in a header, never in a URL. */
async function requestPlain(exchange: Exchange, { tokens }: ExchangedTokens): Promise<Profile> {
  const url = exchange.as.userinfo_endpoint
  if (!url) throw new Error("the provider has no userinfo endpoint")
  requestOptions(exchange, url)
  const { dpop, fetch } = exchange
  const { access_token: accessToken } = tokens
  const headers = { accept: "application/json", "user-agent": "latchkey" }
  const response = dpop
    ? await sendWithProof(new Request(url, { headers }), { accessToken, dpop }, fetch)
    : await fetch(url, { headers: { ...headers, authorization: `Bearer ${accessToken}` } })
  if (!response.ok) throw new CodedError("provider-unreachable", `${url} answered with status ${response.status}`)
  const profile: unknown = await response.json().catch(() => undefined)
  if (!isPlainObject(profile)) throw new Error(`${url} did not answer with a JSON object`)
  return profile
}

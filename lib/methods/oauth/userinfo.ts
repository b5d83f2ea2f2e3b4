import * as oauth from "oauth4webapi"
import { isPlainObject, omitUndefined } from "../../base/merge.js"
import type { Profile } from "../../base/types.js"
import { CodedError } from "../../errors/error-codes.js"
import { asError } from "../../errors/errors.js"
import { parseScopes } from "../../tokens/token-state.js"
import { explainClockSkew } from "./clock-skew.js"
import { sendWithNonce, sendWithProof } from "./dpop.js"
import { peekClaims } from "./id-token.js"
import { requireSecureUrl } from "./prepare.js"
import { readMessageCode } from "./reason.js"
import { isJwe } from "./requirements.js"
import { requireSignature, type SignedTokenKind } from "./signature.js"
import {
  clientWithClock,
  type Exchange,
  type ExchangedTokens,
  requestedScope,
  requestOptions,
} from "./token-request.js"

const USERINFO: SignedTokenKind = {
  label: "the userinfo response",
  algorithmMember: "userinfo_signed_response_alg",
}

type IdTokenClaims = Readonly<Record<string, unknown>>

/**
 * Returns the user's claims from the id_token, from the userinfo endpoint, or from both.
 *
 * @throws Error if a request for userinfo fails
 */
export async function readProfile(exchange: Exchange, tokenResult: ExchangedTokens): Promise<Profile> {
  const { provider } = exchange
  const { claims } = tokenResult
  if (!claims || provider.prefersUserinfo) return requestUserinfo(exchange, tokenResult)
  const missing = missingClaims(claims, tokenResult.tokens, exchange)
  if (missing.length === 0) return claims
  try {
    return mergeClaims(claims, await requestUserinfo(exchange, tokenResult))
  } catch (error) {
    const message = `${asError(error).message}; userinfo was requested because the id_token has no ${missing.join(" and no ")}. To skip this request, set idToken: true on the provider`
    throw new CodedError(readMessageCode(error) ?? "provider-answer-invalid", message, { cause: error })
  }
}

/** Pairs of a claim and the scope that requests it (OpenID Connect Core §5.4). */
const SCOPES_OF_CLAIMS = [
  ["name", "profile"],
  ["email", "email"],
] as const

const isEmpty = (claim: unknown): boolean => claim === undefined || claim === null || claim === ""

/**
 * Lists the claims to request from userinfo: those that the granted scopes include, but the id_token lacks. Lists none
 * if `completesIdToken` is false, or if the provider has no userinfo.
 */
function missingClaims(claims: IdTokenClaims, { scope }: ExchangedTokens["tokens"], exchange: Exchange) {
  const { as, provider } = exchange
  if (!provider.completesIdToken || !(as.userinfo_endpoint || provider.userinfo.request)) return []
  // RFC 6749 §5.1: a token response without `scope` grants the requested scope.
  const granted = new Set(parseScopes(scope ?? requestedScope(exchange) ?? ""))
  return SCOPES_OF_CLAIMS.filter(([claim, claimScope]) => granted.has(claimScope) && isEmpty(claims[claim])).map(
    ([claim]) => claim,
  )
}

/** Adds claims of userinfo that the id_token lacks. `email` and `email_verified` come from the same source. */
function mergeClaims(claims: IdTokenClaims, userinfo: Profile): Profile {
  const nonEmpty = Object.fromEntries(Object.entries(claims).filter(([, value]) => !isEmpty(value)))
  const { email, email_verified }: IdTokenClaims = isEmpty(claims["email"]) ? userinfo : claims
  // The claims of both sources are members of a profile, so the assertion is safe.
  return { ...userinfo, ...nonEmpty, ...omitUndefined({ email, email_verified }) } as Profile
}

/** Requests userinfo. @throws Error if its `sub` differs from that of the id_token */
async function requestUserinfo(exchange: Exchange, tokenResult: ExchangedTokens): Promise<Profile> {
  const { provider } = exchange
  const { claims } = tokenResult
  const profile = provider.userinfo.request
    ? await callUserinfoRequest(exchange, tokenResult)
    : claims
      ? await requestOidcUserinfo(exchange, tokenResult, claims)
      : await requestOAuthUserinfo(exchange, tokenResult)
  // Core §5.3.2. With another `sub`, userinfo may belong to another user.
  if (claims && profile.sub !== claims["sub"])
    throw new Error("the sub of the userinfo response differs from that of the id_token")
  return profile
}

async function callUserinfoRequest({ provider, fetch }: Exchange, { tokens }: ExchangedTokens): Promise<Profile> {
  const profile: unknown = await provider.userinfo.request?.({ tokens, provider: provider.providerArgument, fetch })
  return isPlainObject(profile) ? profile : {}
}

/** Requests userinfo from a provider with OpenID Connect (Core §5.3). The response is JSON or a signed JWT. */
async function requestOidcUserinfo(
  exchange: Exchange,
  { tokens }: ExchangedTokens,
  idTokenClaims: IdTokenClaims,
): Promise<Profile> {
  const { as, provider, nowMs } = exchange
  const options = requestOptions(exchange, as.userinfo_endpoint)
  const response = await sendWithNonce(exchange.dpop, () =>
    oauth.userInfoRequest(as, provider.client, tokens.access_token, options),
  )
  if (response.status !== 200)
    throw new CodedError("provider-unreachable", `${as.userinfo_endpoint} answered with status ${response.status}`)
  if (!isJwtResponse(response)) return readUnsigned(response, exchange, idTokenClaims)
  try {
    return await readSigned((await response.text()).trim(), exchange, idTokenClaims)
  } catch (error) {
    throw explainClockSkew(error, response, nowMs)
  }
}

/**
 * True if the content type is that of a JWT. Accepts more spellings than `oauth4webapi`, so that each response that the
 * library treats as a JWT is verified here.
 */
const isJwtResponse = ({ headers }: Response): boolean =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() === "application/jwt"

/** Reads an unsigned response. @throws CodedError if the client is registered for signed responses */
async function readUnsigned(
  response: Response,
  { as, provider }: Exchange,
  idTokenClaims: IdTokenClaims,
): Promise<Profile> {
  const alg = provider.client[USERINFO.algorithmMember]
  if (alg)
    throw new CodedError("signature-wrong", `${USERINFO.label} is not signed, and this client is registered for ${alg}`)
  return { ...(await oauth.processUserInfoResponse(as, provider.client, String(idTokenClaims["sub"]), response)) }
}

/** Verifies and reads a signed response (Core §5.3.2 and §5.3.4). @throws Error that names the failed check */
async function readSigned(
  jwt: string,
  { as, provider, nowMs }: Exchange,
  idTokenClaims: IdTokenClaims,
): Promise<Profile> {
  if (isJwe(jwt))
    throw new Error("the userinfo response is encrypted: register the client without userinfo_encrypted_response_alg")
  await requireSignature(jwt, USERINFO, { as, provider })
  const issuer = String(idTokenClaims["iss"])
  const expected = provider.userinfoIssuerOf
    ? provider.userinfoIssuerOf(peekClaims(jwt, USERINFO.label), { issuer, endpoint: as.userinfo_endpoint ?? "" })
    : issuer
  if (!expected) throw new CodedError("issuer-mismatch", "the issuer of the userinfo response is not allowed")
  const response = new Response(jwt, { headers: { "content-type": "application/jwt" } })
  const claims = await oauth.processUserInfoResponse(
    { ...as, issuer: expected },
    clientWithClock(provider, nowMs),
    String(idTokenClaims["sub"]),
    response,
  )
  return { ...claims }
}

/** Requests userinfo from a plain OAuth provider. The token is in a header, never in the URL (RFC 6750 §2.1). */
async function requestOAuthUserinfo(exchange: Exchange, { tokens }: ExchangedTokens): Promise<Profile> {
  const url = exchange.as.userinfo_endpoint
  if (!url) throw new Error("the provider has no userinfo endpoint")
  const { dpop, fetch, provider } = exchange
  requireSecureUrl(url, provider)
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

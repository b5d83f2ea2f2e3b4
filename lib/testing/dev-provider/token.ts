import { createHash } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { isEqualText, sha256Base64url } from "../../security/tokens.js"
import { Refusal } from "./refusal.js"
import { json, type ProviderResponse } from "./response.js"
import { type Grant, type ProviderRequest, type ProviderState, param, repeatedName, secondsNow } from "./state.js"

const TOKEN_LIFETIME_SECONDS = 60 * 60
const REFRESH_LIFETIME_SECONDS = 30 * 24 * 60 * 60

const decodeFormValue = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    throw new Refusal("invalid_client", "the Authorization header cannot be decoded", { status: 401 })
  }
}

/** Reads the client's credentials (RFC 6749 §2.3.1): from the header, where they are form-encoded, or from the body. */
function readCredentials({ headers, params }: ProviderRequest): { id: string | undefined; secret: string | undefined } {
  const [, encoded] = /^Basic ([\w+/=-]+)$/i.exec(headers["authorization"] ?? "") ?? []
  if (encoded === undefined) return { id: param(params, "client_id"), secret: param(params, "client_secret") }
  const [id = "", ...secret] = Buffer.from(encoded, "base64").toString().split(":")
  return { id: decodeFormValue(id), secret: decodeFormValue(secret.join(":")) }
}

function requireClient(request: ProviderRequest, { clientId, clientSecret }: ProviderState): void {
  const { id, secret } = readCredentials(request)
  if (id === clientId && secret !== undefined && isEqualText(secret, clientSecret)) return
  const reason = id === clientId ? "the secret is wrong or missing" : "the client is unknown"
  throw new Refusal("invalid_client", reason, { status: 401 })
}

const invalidGrant = (description: string) => new Refusal("invalid_grant", description)

/** Returns the grant of a code, and marks the code as redeemed (RFC 6749 §4.1.3, RFC 7636 §4.6). */
function redeemCode(params: URLSearchParams, { codes }: ProviderState): Grant {
  const grant = codes.find(param(params, "code"))
  if (!grant) throw invalidGrant("the code is unknown or has expired")
  if (grant.isRedeemed) {
    grant.isRevoked = true
    throw invalidGrant("the code was redeemed before; its tokens are now revoked")
  }
  if (params.get("redirect_uri") !== grant.redirectUri)
    throw invalidGrant("redirect_uri differs from that of the authorization request")
  if (sha256Base64url(params.get("code_verifier") ?? "") !== grant.challenge)
    throw invalidGrant("code_verifier does not match the code_challenge of the authorization request")
  grant.isRedeemed = true
  return grant
}

/** Returns the grant of a refresh token, and deletes the token, which is valid once (RFC 9700 §4.14.2). */
function redeemRefreshToken(params: URLSearchParams, { refreshTokens }: ProviderState): Grant {
  const token = param(params, "refresh_token")
  const grant = refreshTokens.find(token)
  refreshTokens.drop(token)
  if (!grant || grant.isRevoked) throw invalidGrant("the refresh token is unknown, used or revoked")
  // Core §12.2: only the id_token of the sign-in contains the nonce.
  return Object.assign(grant, { nonce: undefined })
}

function redeem(params: URLSearchParams, state: ProviderState): Grant {
  const repeated = repeatedName(params)
  if (repeated !== undefined) throw new Refusal("invalid_request", `"${repeated}" is repeated`)
  const type = param(params, "grant_type")
  if (type === "authorization_code") return redeemCode(params, state)
  if (type === "refresh_token") return redeemRefreshToken(params, state)
  throw new Refusal("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
}

/** Returns `at_hash` of an access token (OpenID Connect Core §3.1.3.6). */
const accessTokenHash = (token: string): string =>
  createHash("sha256").update(token).digest().subarray(0, 16).toString("base64url")

function idToken(grant: Grant, accessToken: string, state: ProviderState): Promise<string> {
  const { claims, sub, nonce, authTimeSeconds, behaviour } = grant
  const issuedAt = secondsNow(state) - (behaviour.tokenAgeSeconds ?? 0)
  const protocolClaims = {
    ...{ iss: state.issuer, aud: state.clientId, sub, iat: issuedAt, exp: issuedAt + TOKEN_LIFETIME_SECONDS },
    ...{ auth_time: authTimeSeconds, at_hash: accessTokenHash(accessToken), nonce },
  }
  // The protocol claims come last, so that a user's claims cannot override them.
  return state.keys.sign({ ...claims, ...protocolClaims }, { withOtherKey: behaviour.signsWithOtherKey ?? false })
}

/** The token endpoint (OpenID Connect Core §3.1.3, §12). */
export async function token(request: ProviderRequest, state: ProviderState): Promise<ProviderResponse> {
  requireClient(request, state)
  const grant = redeem(request.params, state)
  if (grant.behaviour.isSlow) await delay(state.slowSeconds * 1000, undefined, { ref: false, signal: request.signal })
  const accessToken = state.accessTokens.put(grant, TOKEN_LIFETIME_SECONDS)
  const isOffline = grant.scope.split(" ").includes("offline_access")
  return json({
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: TOKEN_LIFETIME_SECONDS,
    scope: grant.scope,
    id_token: await idToken(grant, accessToken, state),
    ...(isOffline && { refresh_token: state.refreshTokens.put(grant, REFRESH_LIFETIME_SECONDS) }),
  })
}

/** The userinfo endpoint (OpenID Connect Core §5.3). It accepts the token only in the header (RFC 6750 §2.1). */
export function userinfo({ headers }: ProviderRequest, { accessTokens }: ProviderState): ProviderResponse {
  const [, token] = /^Bearer ([\w-]+)$/i.exec(headers["authorization"] ?? "") ?? []
  const grant = accessTokens.find(token)
  if (grant && !grant.isRevoked) return json({ ...grant.claims, sub: grant.sub })
  const error = "invalid_token"
  return json({ error }, 401, { "www-authenticate": `Bearer error="${error}"` })
}

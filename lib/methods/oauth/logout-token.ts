/**
 * Validates logout tokens, with which providers end sessions (OpenID Connect Back-Channel Logout 1.0).
 *
 * @module
 */

import { decodeProtectedHeader } from "jose/decode/protected_header"
import type { AuthorizationServer } from "oauth4webapi"
import { isPlainObject } from "../../base/merge.js"
import { coded } from "../../errors/error-codes.js"
import { AuthError, BadRequest } from "../../errors/errors.js"
import type { SessionGroup } from "../../sessions/session.js"
import type { LogoutToken, MethodRuntime } from "../method.js"
import { FUTURE_TOLERANCE_SECONDS, peekClaims, readShortText } from "./id-token.js"
import type { ReadyOAuth } from "./prepare.js"
import { sanitizeProviderError } from "./provider-errors.js"
import { readMessageCode } from "./reason.js"
import { requireSignature, type SignedTokenKind } from "./signature.js"
import { withExpectedIssuer } from "./token-request.js"

/** Anyone can send a logout token, so the signature is verified even with `verifyIdToken: false`. */
const LOGOUT_TOKEN: SignedTokenKind = {
  label: "the logout token",
  algorithmMember: "id_token_signed_response_alg",
  isAlwaysVerified: true,
}

const EVENT = "http://schemas.openid.net/event/backchannel-logout"

/** How long a token is accepted after `iat`. Providers send a token at once, and again shortly after a failure. */
const MAX_AGE_SECONDS = 5 * 60
/** The number of seconds after `exp` for which a token is accepted, because clocks differ. */
const EXPIRY_TOLERANCE_SECONDS = 30

/**
 * Validates a logout token (§2.6) and returns the sessions to end.
 *
 * @throws AuthError with status 400 if the token is invalid, and with status 503 if the provider can't be reached
 */
export async function readLogoutToken(
  token: string,
  provider: ReadyOAuth,
  { now }: MethodRuntime,
): Promise<LogoutToken> {
  const as = await provider.metadata.get().catch((error: unknown) => {
    throw createUnavailableError(error, provider)
  })
  try {
    return await validateLogoutToken(token, { as, provider, nowSeconds: now() / 1000 })
  } catch (error) {
    if (readMessageCode(error) === "provider-unreachable") throw createUnavailableError(error, provider)
    throw coded(
      "logout-token-invalid",
      new BadRequest("the logout token is not valid", { provider: provider.id, err: sanitizeProviderError(error) }),
    )
  }
}

/** Returns the error for a token that can't be validated, because the provider can't be reached. */
function createUnavailableError(error: unknown, { id }: ReadyOAuth): AuthError {
  const facts = { provider: id, err: sanitizeProviderError(error) }
  const messageCode = readMessageCode(error) ?? "provider-unreachable"
  return new AuthError("a logout token can't be validated at the moment", facts, { messageCode, status: 503 })
}

interface ValidationContext {
  readonly as: AuthorizationServer
  readonly provider: ReadyOAuth
  readonly nowSeconds: number
}

async function validateLogoutToken(token: string, context: ValidationContext): Promise<LogoutToken> {
  const { as, provider } = context
  requireType(token)
  const claims = peekClaims(token, LOGOUT_TOKEN.label)
  const { issuer } = withExpectedIssuer(context, token)
  await requireSignature(token, LOGOUT_TOKEN, { as, provider })
  if (claims["iss"] !== issuer) throw new Error(`iss is not "${issuer}"`)
  if (![claims["aud"]].flat().includes(provider.client.client_id)) throw new Error("aud does not contain the client id")
  requireEvent(claims)
  return {
    id: `${issuer} ${requireTextClaim(claims, "jti")}`,
    sessions: readSessions(claims, provider),
    expires: requireCurrent(claims, context),
  }
}

/** Checks `typ` if it is present. §2.4 recommends it, but does not require it. */
function requireType(token: string): void {
  const { typ } = decodeProtectedHeader(token)
  if (typ !== undefined && !/^(?:application\/)?logout\+jwt$/i.test(typ)) throw new Error(`typ is not "logout+jwt"`)
}

/** Rejects an id_token sent as a logout token (§4.1). A logout token has `EVENT` in `events`, and no `nonce`. */
function requireEvent({ events, ...claims }: Readonly<Record<string, unknown>>): void {
  if (!isPlainObject(events) || !isPlainObject(events[EVENT])) throw new Error(`events has no member "${EVENT}"`)
  if ("nonce" in claims) throw new Error("nonce is not allowed")
}

function requireTextClaim(claims: Readonly<Record<string, unknown>>, name: string): string {
  const text = readShortText(claims[name])
  if (text === undefined) throw new Error(`${name} is not a text of 1 to 255 characters`)
  return text
}

/** Returns the sessions that a token ends: the session `sid`, or without `sid` all sessions of the user (§2.4). */
function readSessions(claims: Readonly<Record<string, unknown>>, { id: provider }: ReadyOAuth): SessionGroup {
  if (claims["sid"] !== undefined) return { provider, sid: requireTextClaim(claims, "sid") }
  if (claims["sub"] === undefined) throw new Error("sub and sid are missing")
  return { provider, sub: requireTextClaim(claims, "sub") }
}

/** Checks `iat` and `exp`. Returns the time from which the token is no longer accepted. */
function requireCurrent({ iat, exp }: Readonly<Record<string, unknown>>, { nowSeconds }: ValidationContext): Date {
  if (typeof iat !== "number") throw new Error("iat is not a number")
  if (typeof exp !== "number") throw new Error("exp is not a number")
  if (iat > nowSeconds + FUTURE_TOLERANCE_SECONDS) throw new Error("iat is in the future: compare the clocks")
  const endSeconds = Math.min(exp + EXPIRY_TOLERANCE_SECONDS, iat + MAX_AGE_SECONDS)
  if (endSeconds <= nowSeconds) throw new Error("the token has expired")
  return new Date(endSeconds * 1000)
}

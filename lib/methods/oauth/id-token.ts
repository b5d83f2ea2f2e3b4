/**
 * Checks of an id_token that supplement the checks of `oauth4webapi` (OpenID Connect Core §3.1.3.7): the signature,
 * `at_hash`, `azp`, the length of `sub`, and an `iat` in the future.
 *
 * @module
 */

import { createHash } from "node:crypto"
import { decodeJwt } from "jose/jwt/decode"
import type { AuthorizationServer } from "oauth4webapi"
import type { Authentication } from "../../accounts/identity.js"
import { CodedError } from "../../errors/error-codes.js"
import { isEqualText } from "../../security/tokens.js"
import type { ReadyOAuth } from "./prepare.js"
import { requireSignature, type SignedTokenKind } from "./signature.js"

const ID_TOKEN: SignedTokenKind = {
  label: "the id_token",
  algorithmMember: "id_token_signed_response_alg",
}

/** The number of seconds by which the provider's clock may be ahead of the clock of this server. */
export const FUTURE_TOLERANCE_SECONDS = 60
/** OpenID Connect Core §2 limits `sub` to 255 characters. The same limit is used for `acr`, `sid` and `jti`. */
const MAX_TEXT_LENGTH = 255

type Claims = Readonly<Record<string, unknown>>

/** Decodes the claims of a JWT without verification, to read values that its validation needs. */
export function peekClaims(jwt: string, label = ID_TOKEN.label): Record<string, unknown> {
  try {
    return decodeJwt(jwt)
  } catch {
    throw new Error(`${label} is not a JWT`)
  }
}

/** Returns a text of 1 to 255 characters, which may become part of the session cookie; undefined for anything else. */
export const readShortText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= MAX_TEXT_LENGTH ? value : undefined

/** Matches the name of an authentication method (RFC 8176 §2). */
const AMR_NAME = /^[\w.:-]{1,32}$/
const MAX_AMR_NAMES = 10

/**
 * Reads how and when the provider authenticated the user (OpenID Connect Core §2). Without `auth_time` the time is
 * unknown, because the provider may have used an existing session of any age.
 */
export function readAuthentication(
  { amr, acr, auth_time, sid, sub }: Claims,
  { provider, nowMs }: { readonly provider: ReadyOAuth; readonly nowMs: number },
): Authentication {
  const isTrusted = provider.trustsAuthenticationContext
  const names = isTrusted && Array.isArray(amr) ? amr : []
  const context = isTrusted ? readShortText(acr) : undefined
  const [providerSid, providerSub] = [readShortText(sid), readShortText(sub)]
  return {
    amr: names.filter((name) => typeof name === "string" && AMR_NAME.test(name)).slice(0, MAX_AMR_NAMES),
    ...(typeof auth_time === "number" && auth_time > 0 && { authTime: Math.floor(Math.min(auth_time, nowMs / 1000)) }),
    ...(context !== undefined && { acr: context }),
    ...(providerSid !== undefined && { providerSid }),
    ...(providerSub !== undefined && { providerSub }),
  }
}

const HASHES: Record<string, string> = { "256": "sha256", "384": "sha384", "512": "sha512" }

/**
 * Checks `at_hash`, the left half of the access token's hash (Core §3.1.3.6). The signature algorithm determines the
 * hash function.
 *
 * @throws Error if `at_hash` does not match
 */
function requireAccessTokenHash(atHash: unknown, alg: string, accessToken: string): void {
  if (atHash === undefined) return
  const hash = alg === "EdDSA" || alg === "Ed25519" ? "sha512" : HASHES[alg.slice(-3)]
  if (!hash) throw new Error(`at_hash can't be checked for ${alg}`)
  const digest = createHash(hash).update(accessToken).digest()
  const expected = digest.subarray(0, digest.length / 2).toString("base64url")
  if (typeof atHash !== "string" || !isEqualText(atHash, expected))
    throw new Error("at_hash does not belong to the access token")
}

/**
 * Validates an id_token. `oauth4webapi` has already decoded and checked its claims.
 *
 * @throws Error that names the failed check
 */
export async function requireValidIdToken(
  tokens: { readonly id_token: string; readonly claims: Claims; readonly access_token: string },
  { as, provider, nowMs }: { as: AuthorizationServer; provider: ReadyOAuth; nowMs: number },
): Promise<void> {
  const { sub, iat, azp, at_hash } = tokens.claims
  if (typeof sub !== "string" || sub === "" || sub.length > MAX_TEXT_LENGTH)
    throw new Error("the id_token's sub is not a text of 1 to 255 characters")
  if (typeof iat === "number" && iat > nowMs / 1000 + FUTURE_TOLERANCE_SECONDS)
    throw new CodedError("clock-skew", "the id_token is from the future: compare the clocks")
  if (azp !== undefined && azp !== provider.client.client_id)
    throw new Error("the id_token was issued to another party (azp)")
  const alg = await requireSignature(tokens.id_token, ID_TOKEN, { as, provider })
  requireAccessTokenHash(at_hash, alg, tokens.access_token)
}

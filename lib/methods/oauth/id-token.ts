/**
 * The validation of an id_token that `oauth4webapi` leaves to its caller (OpenID Connect Core §3.1.3.7): the signature,
 * `at_hash`, the authorised party, and that the token is not from the future.
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
import { requireSignature, type Signed } from "./signature.js"

const ID_TOKEN: Signed = {
  name: "the id_token",
  registeredAs: "id_token_signed_response_alg",
}

/** Seconds by which the provider's clock may be ahead. */
export const FUTURE_TOLERANCE_SECONDS = 60
const MAX_SUBJECT_LENGTH = 255

type Claims = Readonly<Record<string, unknown>>

/** Decodes the claims without verification, for values that are needed to validate the token. */
export function peekClaims(jwt: string, name = ID_TOKEN.name): Record<string, unknown> {
  try {
    return decodeJwt(jwt)
  } catch {
    throw new Error(`${name} is not a JWT`)
  }
}

/** A short text; undefined for anything else, because it becomes part of the session cookie. */
export const readShortText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= MAX_SUBJECT_LENGTH ? value : undefined

/** The names of authentication methods (RFC 8176 §2). */
const AMR = /^[\w.:-]{1,32}$/
const MAX_AMR = 10

/**
 * Reads how and when the provider authenticated the user (OpenID Connect Core §2). Without `auth_time` the time is
 * unknown: the provider may have used a session of any age.
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
    amr: names.filter((name) => typeof name === "string" && AMR.test(name)).slice(0, MAX_AMR),
    ...(typeof auth_time === "number" && auth_time > 0 && { authTime: Math.floor(Math.min(auth_time, nowMs / 1000)) }),
    ...(context !== undefined && { acr: context }),
    ...(providerSid !== undefined && { providerSid }),
    ...(providerSub !== undefined && { providerSub }),
  }
}

const HASHES: Record<string, string> = { "256": "sha256", "384": "sha384", "512": "sha512" }

/** Core §3.1.3.6: `at_hash` is the left half of the access token's hash. The signature algorithm defines the hash. */
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
 * Validates a token and its claims, which `oauth4webapi` has decoded and accepted.
 *
 * @throws Error that names the failed check
 */
export async function requireValidIdToken(
  tokens: { readonly id_token: string; readonly claims: Claims; readonly access_token: string },
  { as, provider, nowMs }: { as: AuthorizationServer; provider: ReadyOAuth; nowMs: number },
): Promise<void> {
  const { sub, iat, azp, at_hash } = tokens.claims
  if (typeof sub !== "string" || sub === "" || sub.length > MAX_SUBJECT_LENGTH)
    throw new Error("the id_token's sub is not a text of 1 to 255 characters")
  if (typeof iat === "number" && iat > nowMs / 1000 + FUTURE_TOLERANCE_SECONDS)
    throw new CodedError("clock-skew", "the id_token is from the future: compare the clocks")
  if (azp !== undefined && azp !== provider.client.client_id)
    throw new Error("the id_token was issued to another party (azp)")
  const alg = await requireSignature(tokens.id_token, ID_TOKEN, { as, provider })
  requireAccessTokenHash(at_hash, alg, tokens.access_token)
}

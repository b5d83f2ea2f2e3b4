/**
 * What `oauth4webapi` leaves to its caller of an id_token's validation (OpenID Connect Core §3.1.3.7): the signature,
 * `at_hash`, the authorised party, and that the token is not from the future.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { decodeProtectedHeader } from "jose/decode/protected_header"
import { compactVerify } from "jose/jws/compact/verify"
import { decodeJwt } from "jose/jwt/decode"
import type { AuthorizationServer } from "oauth4webapi"
import { isEqualText } from "../../security/tokens.js"
import { readSecret } from "./client-auth.js"
import { type ReadyOAuth, requireCallable } from "./prepare.js"

/** Seconds by which the provider's clock may be ahead. */
const FUTURE_TOLERANCE_SECONDS = 60
const MAX_SUBJECT_LENGTH = 255

/** The claims, not believed yet: for what must be known before they can be validated. */
export function peekClaims(idToken: string): Record<string, unknown> {
  try {
    return decodeJwt(idToken)
  } catch {
    throw new Error("the id_token is not a JWT")
  }
}

/** The algorithm of its signature: a token without one is never taken, whatever else is trusted. */
function requireAlgorithm(idToken: string): string {
  const { alg } = decodeProtectedHeader(idToken)
  if (!alg || alg.toLowerCase() === "none") throw new Error("the id_token is not signed")
  return alg
}

/** Signatures with a key that the client knows too (HS…) count only where the client was registered for them. */
async function requireSignature(idToken: string, as: AuthorizationServer, provider: ReadyOAuth): Promise<void> {
  const alg = requireAlgorithm(idToken)
  if (alg.startsWith("HS")) {
    if (provider.client.id_token_signed_response_alg !== alg)
      throw new Error(`the id_token is signed with ${alg}, which this client is not registered for`)
    const key = new TextEncoder().encode(await readSecret(provider.source))
    await compactVerify(idToken, key, { algorithms: [alg] })
    return
  }
  if (!as.jwks_uri) throw new Error("the provider's metadata has no jwks_uri to verify the id_token with")
  requireCallable(as.jwks_uri, provider)
  await provider.issuerKeys.verify(idToken, { alg, jwksUri: as.jwks_uri })
}

const HASHES: Record<string, string> = { "256": "sha256", "384": "sha384", "512": "sha512" }

/** Core §3.1.3.6: the left half of the access token's hash, by the hash of the signature's algorithm. */
function requireAccessTokenHash(atHash: unknown, idToken: string, accessToken: string): void {
  if (atHash === undefined) return
  const { alg = "" } = decodeProtectedHeader(idToken)
  const hash = alg === "EdDSA" || alg === "Ed25519" ? "sha512" : HASHES[alg.slice(-3)]
  if (!hash) throw new Error(`at_hash can't be checked for ${alg}`)
  const digest = createHash(hash).update(accessToken).digest()
  const expected = digest.subarray(0, digest.length / 2).toString("base64url")
  if (typeof atHash !== "string" || !isEqualText(atHash, expected))
    throw new Error("at_hash does not belong to the access token")
}

/**
 * Validates a token whose claims `oauth4webapi` has accepted.
 *
 * @throws Error naming what does not hold
 */
export async function requireValidIdToken(
  tokens: { readonly id_token: string; readonly access_token: string },
  { as, provider, nowMs }: { as: AuthorizationServer; provider: ReadyOAuth; nowMs: number },
): Promise<void> {
  const { sub, iat, azp, at_hash } = peekClaims(tokens.id_token)
  if (typeof sub !== "string" || sub === "" || sub.length > MAX_SUBJECT_LENGTH)
    throw new Error("the id_token's sub is not a text of 1 to 255 characters")
  if (typeof iat === "number" && iat > nowMs / 1000 + FUTURE_TOLERANCE_SECONDS)
    throw new Error("the id_token is from the future: compare the clocks")
  if (azp !== undefined && azp !== provider.client.client_id)
    throw new Error("the id_token was issued to another party (azp)")
  requireAlgorithm(tokens.id_token)
  if (provider.verifiesIdToken) await requireSignature(tokens.id_token, as, provider)
  requireAccessTokenHash(at_hash, tokens.id_token, tokens.access_token)
}

import { decodeProtectedHeader } from "jose/decode/protected_header"
import { compactVerify } from "jose/jws/compact/verify"
import type { AuthorizationServer } from "oauth4webapi"
import { CodedError } from "../../errors/error-codes.js"
import { isError } from "../../errors/errors.js"
import { readSecret } from "./client-auth.js"
import { type ReadyOAuth, requireSecureUrl } from "./prepare.js"

/** A kind of token that an issuer signs. */
export interface SignedTokenKind {
  /** Names the token in error messages. */
  readonly label: string
  /** The client metadata member that contains the registered algorithm. */
  readonly algorithmMember:
    | "id_token_signed_response_alg"
    | "userinfo_signed_response_alg"
    | "authorization_signed_response_alg"
  /** True if the signature is verified even with `verifyIdToken: false`, because anyone can send such a token. */
  readonly isAlwaysVerified?: boolean
}

/** The error codes of `jose` for an invalid signature. */
const INVALID_SIGNATURE = new Set<unknown>(["ERR_JWS_SIGNATURE_VERIFICATION_FAILED", "ERR_JWKS_NO_MATCHING_KEY"])

/** Converts an error of `jose` for an invalid signature to a CodedError. Returns other errors unchanged. */
const toSignatureError = (error: unknown, { label }: SignedTokenKind): unknown =>
  isError(error) && INVALID_SIGNATURE.has(Reflect.get(error, "code"))
    ? new CodedError("signature-wrong", `${label}: ${error.message}`)
    : error

function readAlgorithm(jwt: string, { label }: SignedTokenKind): string | undefined {
  try {
    return decodeProtectedHeader(jwt).alg
  } catch {
    throw new Error(`${label} is not a JWT`)
  }
}

/** Returns the signature algorithm. @throws CodedError for an unsigned token, even with `verifyIdToken: false` */
function requireAlgorithm(jwt: string, kind: SignedTokenKind): string {
  const { label } = kind
  const alg = readAlgorithm(jwt, kind)
  if (!alg || alg.toLowerCase() === "none") throw new CodedError("signature-wrong", `${label} is not signed`)
  return alg
}

interface Signer {
  readonly as: AuthorizationServer
  readonly provider: ReadyOAuth
}

/**
 * Verifies a signature. If the client is registered for an algorithm, only that algorithm is accepted. HMAC algorithms
 * (HS256 and the like) must be registered, because anyone with the client secret can sign with them.
 */
async function verifySignature(
  jwt: string,
  alg: string,
  { as, provider, kind }: Signer & { kind: SignedTokenKind },
): Promise<void> {
  const { label, algorithmMember } = kind
  // `oauth4webapi` also allows a list of algorithms here.
  const registered = [provider.client[algorithmMember] ?? []].flat()
  if (registered.length > 0 ? !registered.includes(alg) : alg.startsWith("HS"))
    throw new CodedError("signature-wrong", `${label} is signed with ${alg}, which this client is not registered for`)
  if (alg.startsWith("HS")) {
    const key = new TextEncoder().encode(await readSecret(provider.source))
    await compactVerify(jwt, key, { algorithms: [alg] })
    return
  }
  if (!as.jwks_uri) throw new Error(`the provider's metadata has no jwks_uri to verify ${label} with`)
  requireSecureUrl(as.jwks_uri, provider)
  await provider.issuerKeys.verify(jwt, { alg, jwksUri: as.jwks_uri })
}

/**
 * Verifies a token's signature and returns the algorithm. With `verifyIdToken: false`, only tokens with
 * `isAlwaysVerified` are verified. An unsigned token is always rejected.
 *
 * @throws Error that names the failed check
 */
export async function requireSignature(jwt: string, kind: SignedTokenKind, { as, provider }: Signer): Promise<string> {
  const alg = requireAlgorithm(jwt, kind)
  if (!provider.verifiesIdToken && !kind.isAlwaysVerified) return alg
  try {
    await verifySignature(jwt, alg, { as, provider, kind })
  } catch (error) {
    throw toSignatureError(error, kind)
  }
  return alg
}

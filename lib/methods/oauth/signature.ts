import { decodeProtectedHeader } from "jose/decode/protected_header"
import { compactVerify } from "jose/jws/compact/verify"
import type { AuthorizationServer } from "oauth4webapi"
import { CodedError } from "../../errors/error-codes.js"
import { isError } from "../../errors/errors.js"
import { readSecret } from "./client-auth.js"
import { type ReadyOAuth, requireSecureUrl } from "./prepare.js"

/** A kind of token that an issuer signs. */
export interface Signed {
  /** The name in error messages. */
  readonly name: string
  /** The client metadata member that contains the registered algorithm. */
  readonly registeredAs:
    | "id_token_signed_response_alg"
    | "userinfo_signed_response_alg"
    | "authorization_signed_response_alg"
  /** True if `verifyIdToken: false` does not apply, because the token does not come directly from the provider. */
  readonly isAlwaysVerified?: boolean
}

/** Error codes of `jose`, whose messages may change. */
const INVALID_SIGNATURE = new Set<unknown>(["ERR_JWS_SIGNATURE_VERIFICATION_FAILED", "ERR_JWKS_NO_MATCHING_KEY"])

const withCode = (error: unknown, { name }: Signed): unknown =>
  isError(error) && INVALID_SIGNATURE.has(Reflect.get(error, "code"))
    ? new CodedError("signature-wrong", `${name}: ${error.message}`)
    : error

function readAlgorithm(jwt: string, { name }: Signed): string | undefined {
  try {
    return decodeProtectedHeader(jwt).alg
  } catch {
    throw new Error(`${name} is not a JWT`)
  }
}

/** Returns the signature algorithm. An unsigned token is always rejected, even with `verifyIdToken: false`. */
function requireAlgorithm(jwt: string, signed: Signed): string {
  const { name } = signed
  const alg = readAlgorithm(jwt, signed)
  if (!alg || alg.toLowerCase() === "none") throw new CodedError("signature-wrong", `${name} is not signed`)
  return alg
}

interface Signer {
  readonly as: AuthorizationServer
  readonly provider: ReadyOAuth
}

/**
 * Accepts only the registered algorithm, if there is one. HS… algorithms must be registered, because their key is the
 * client secret.
 */
async function verify(jwt: string, alg: string, { as, provider, signed }: Signer & { signed: Signed }): Promise<void> {
  const { name, registeredAs } = signed
  // `oauth4webapi` allows a list too.
  const registered = [provider.client[registeredAs] ?? []].flat()
  if (registered.length > 0 ? !registered.includes(alg) : alg.startsWith("HS"))
    throw new CodedError("signature-wrong", `${name} is signed with ${alg}, which this client is not registered for`)
  if (alg.startsWith("HS")) {
    const key = new TextEncoder().encode(await readSecret(provider.source))
    await compactVerify(jwt, key, { algorithms: [alg] })
    return
  }
  if (!as.jwks_uri) throw new Error(`the provider's metadata has no jwks_uri to verify ${name} with`)
  requireSecureUrl(as.jwks_uri, provider)
  await provider.issuerKeys.verify(jwt, { alg, jwksUri: as.jwks_uri })
}

/**
 * Verifies a token's signature, unless `verifyIdToken` is false and applies to it, and returns its algorithm. An unsigned
 * token is always rejected.
 *
 * @throws Error that names the failed check
 */
export async function requireSignature(jwt: string, signed: Signed, { as, provider }: Signer): Promise<string> {
  const alg = requireAlgorithm(jwt, signed)
  if (!provider.verifiesIdToken && !signed.isAlwaysVerified) return alg
  try {
    await verify(jwt, alg, { as, provider, signed })
  } catch (error) {
    throw withCode(error, signed)
  }
  return alg
}

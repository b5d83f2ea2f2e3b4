import { decodeProtectedHeader } from "jose/decode/protected_header"
import { compactVerify } from "jose/jws/compact/verify"
import type { AuthorizationServer } from "oauth4webapi"
import type { MessageCode } from "../../codes/index.js"
import { Fault } from "../../error-codes.js"
import { isError } from "../../errors.js"
import { readSecret } from "./client-auth.js"
import { type ReadyOAuth, requireCallable } from "./prepare.js"

/** What an issuer signs. */
export interface Signed {
  /** In messages. */
  readonly name: string
  /** The code of a signature that does not hold. */
  readonly code: MessageCode
  /** Where the client's registration has its algorithm. */
  readonly registeredAs: "id_token_signed_response_alg" | "userinfo_signed_response_alg"
}

/** By the codes of `jose`; its texts may change. */
const WRONG_SIGNATURE = new Set<unknown>(["ERR_JWS_SIGNATURE_VERIFICATION_FAILED", "ERR_JWKS_NO_MATCHING_KEY"])

const withCode = (error: unknown, { name, code }: Signed): unknown =>
  isError(error) && WRONG_SIGNATURE.has(Reflect.get(error, "code"))
    ? new Fault(code, `${name}: ${error.message}`)
    : error

function readAlgorithm(jwt: string, { name }: Signed): string | undefined {
  try {
    return decodeProtectedHeader(jwt).alg
  } catch {
    throw new Error(`${name} is not a JWT`)
  }
}

/** The algorithm of its signature: what has none is never taken, whatever else is trusted. */
function requireAlgorithm(jwt: string, signed: Signed): string {
  const { name, code } = signed
  const alg = readAlgorithm(jwt, signed)
  if (!alg || alg.toLowerCase() === "none") throw new Fault(code, `${name} is not signed`)
  return alg
}

interface Signer {
  readonly as: AuthorizationServer
  readonly provider: ReadyOAuth
}

/** A registered algorithm is the only one; those with a key that the client knows too (HS…) have to be registered. */
async function verify(jwt: string, alg: string, { as, provider, signed }: Signer & { signed: Signed }): Promise<void> {
  const { name, code, registeredAs } = signed
  // The library takes a list too.
  const registered = [provider.client[registeredAs] ?? []].flat()
  if (registered.length > 0 ? !registered.includes(alg) : alg.startsWith("HS"))
    throw new Fault(code, `${name} is signed with ${alg}, which this client is not registered for`)
  if (alg.startsWith("HS")) {
    const key = new TextEncoder().encode(await readSecret(provider.source))
    await compactVerify(jwt, key, { algorithms: [alg] })
    return
  }
  if (!as.jwks_uri) throw new Error(`the provider's metadata has no jwks_uri to verify ${name} with`)
  requireCallable(as.jwks_uri, provider)
  await provider.issuerKeys.verify(jwt, { alg, jwksUri: as.jwks_uri })
}

/**
 * Verifies a token's signature, unless the provider's options trust it without; one that is not signed at all is
 * refused all the same.
 *
 * @throws Error naming what does not hold
 */
export async function requireSignature(jwt: string, signed: Signed, { as, provider }: Signer): Promise<void> {
  const alg = requireAlgorithm(jwt, signed)
  if (!provider.verifiesIdToken) return
  try {
    await verify(jwt, alg, { as, provider, signed })
  } catch (error) {
    throw withCode(error, signed)
  }
}

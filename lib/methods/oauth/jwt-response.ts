/**
 * JWT Secured Authorization Response Mode (JARM): the parameters of the authorization response are claims of a JWT that
 * the provider signs.
 *
 * @module
 */
import { decodeJwt } from "jose/jwt/decode"
import type { AuthorizationServer } from "oauth4webapi"
import type { AuthCall } from "../../http/call.js"
import { peekClaims } from "./id-token.js"
import type { ReadyOAuth } from "./prepare.js"
import { requireSignature, type SignedTokenKind } from "./signature.js"

/** The response passes through the browser, so its signature is verified even with `verifyIdToken: false`. */
const RESPONSE: SignedTokenKind = {
  label: "the authorization response",
  algorithmMember: "authorization_signed_response_alg",
  isAlwaysVerified: true,
}

/** The claims that are parameters of the authorization response (JARM §2.1). */
const PARAMETERS = ["code", "state", "iss", "error", "error_description"]

/** The number of seconds after `exp` for which a response is accepted, because clocks differ. */
const EXPIRY_TOLERANCE_SECONDS = 30

/** Returns the parameters in a JWT, without verifying it. Returns no parameters if the JWT can't be decoded. */
function readResponseParams(response: string): Record<string, string> {
  try {
    const claims = decodeJwt(response)
    return Object.fromEntries(
      PARAMETERS.flatMap((name) => {
        const value = claims[name]
        return typeof value === "string" ? [[name, value]] : []
      }),
    )
  } catch {
    return {}
  }
}

/**
 * Returns the parameters in the JWT of an authorization response. The JWT is not verified yet. Parameters outside the
 * JWT are dropped, because a provider with this response mode must not use another mode.
 */
export const decodeResponse = ({
  query: { response = "" },
  repeatedFields,
}: Pick<AuthCall, "query" | "repeatedFields">): Pick<AuthCall, "query" | "repeatedFields"> => ({
  query: { ...readResponseParams(response), response },
  repeatedFields,
})

interface ValidationContext {
  readonly as: AuthorizationServer
  readonly provider: ReadyOAuth
  readonly nowMs: number
}

/**
 * Validates the JWT of an authorization response (JARM §2.4).
 *
 * @throws Error that names the failed check
 */
export async function requireValidResponse(jwt: string, { as, provider, nowMs }: ValidationContext): Promise<void> {
  const { iss, aud, exp } = peekClaims(jwt, RESPONSE.label)
  await requireSignature(jwt, RESPONSE, { as, provider })
  if (iss !== as.issuer) throw new Error(`the iss of ${RESPONSE.label} is not "${as.issuer}"`)
  if (![aud].flat().includes(provider.client.client_id))
    throw new Error(`the aud of ${RESPONSE.label} does not contain the client id`)
  if (typeof exp !== "number") throw new Error(`the exp of ${RESPONSE.label} is not a number`)
  if (exp + EXPIRY_TOLERANCE_SECONDS <= nowMs / 1000) throw new Error(`${RESPONSE.label} has expired`)
}

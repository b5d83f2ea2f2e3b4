/**
 * The parts of the FAPI 2.0 Security Profile: pushed requests, DPoP with nonces, and `private_key_jwt` with the issuer as
 * the only audience.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto"
import { EmbeddedJWK, type JWK, jwtVerify } from "jose"
import type { Answer } from "./deliver.js"
import type { ProviderRequest, ProviderState } from "./endpoints.js"

export interface FapiMode {
  /** Verifies the client's assertions. */
  readonly clientKey: JWK
  /** Requires a nonce in each proof: one at the token endpoint, another at userinfo. */
  readonly requiresNonce?: boolean
  /** The scheme of challenges. @default "DPoP" */
  readonly scheme?: string
}

interface FapiRequest extends ProviderRequest {
  readonly method: string
  readonly path: string
  readonly headers: { authorization?: string | undefined; dpop?: string | string[] | undefined }
}

const refusal = (status: number, error: string): Answer => ({ status, body: { error, error_description: error } })

/** FAPI 2.0 §5.3.3.1: the issuer is the only audience, as a string. */
async function isFapiClient({ mode, issuer, client }: ProviderState, { clientAuth }: FapiRequest): Promise<boolean> {
  if (!mode.fapi || clientAuth?.method !== "private_key_jwt" || !clientAuth.assertion) return false
  const { jwt, claims } = clientAuth.assertion
  const expected = { audience: issuer, issuer: client.clientId, subject: client.clientId }
  return (
    claims["aud"] === issuer &&
    jwtVerify(jwt, mode.fapi.clientKey, expected).then(
      () => true,
      () => false,
    )
  )
}

/** RFC 9126 §2. */
export async function push(state: ProviderState, request: FapiRequest): Promise<Answer> {
  if (!(await isFapiClient(state, request))) return refusal(401, "invalid_client")
  const request_uri = `urn:ietf:params:oauth:request_uri:${randomBytes(16).toString("base64url")}`
  state.pushed.set(request_uri, request.form)
  return { status: 201, body: { request_uri, expires_in: 60 } }
}

/** The parameters of a pushed request, which can be used once. Other parameters than these two are not accepted. */
export function pullRequest({ pushed }: ProviderState, query: Record<string, string>): Record<string, string> {
  const { request_uri = "", client_id, ...others } = query
  const form = pushed.get(request_uri)
  pushed.delete(request_uri)
  return form && form["client_id"] === client_id && Object.keys(others).length === 0 ? form : {}
}

/** RFC 9449 §4.3: checks a proof. Returns the refusal, or undefined. */
async function refuseProof(
  { base, mode }: ProviderState,
  { method, path, headers }: FapiRequest,
  accessToken?: string,
): Promise<Answer | undefined> {
  const { requiresNonce, scheme = "DPoP" } = mode.fapi ?? {}
  const { payload } = await jwtVerify(String(headers.dpop), EmbeddedJWK, { typ: "dpop+jwt", algorithms: ["ES256"] })
  const ath = accessToken && createHash("sha256").update(accessToken).digest("base64url")
  const isRight = payload["htm"] === method && payload["htu"] === base + path && payload["ath"] === ath && payload.jti
  if (!isRight) return refusal(400, "invalid_dpop_proof")
  const nonce = requiresNonce ? `nonce of ${path}` : undefined
  if (payload["nonce"] === nonce || nonce === undefined) return undefined
  const headersOfChallenge = { "dpop-nonce": nonce }
  if (path === "/token") return { ...refusal(400, "use_dpop_nonce"), headers: headersOfChallenge }
  const challenge = { "www-authenticate": `${scheme} error="use_dpop_nonce"` }
  return { ...refusal(401, "use_dpop_nonce"), headers: { ...headersOfChallenge, ...challenge } }
}

/** Checks a request to the token endpoint. */
export async function refuseTokenRequest(state: ProviderState, request: FapiRequest): Promise<Answer | undefined> {
  if (!(await isFapiClient(state, request))) return refusal(401, "invalid_client")
  return refuseProof(state, request)
}

/** Checks a request with an access token, whose scheme must be DPoP. */
export async function refuseResourceRequest(state: ProviderState, request: FapiRequest): Promise<Answer | undefined> {
  const [, token] = /^DPoP (.+)$/.exec(request.headers.authorization ?? "") ?? []
  return token === undefined ? refusal(401, "invalid_token") : refuseProof(state, request, token)
}

/**
 * DPoP (RFC 9449): access tokens that are bound to a key of the sign-in. Each request with a token has a proof, which
 * the key signs.
 *
 * @module
 */
import * as oauth from "oauth4webapi"
import type { PrivateJwk } from "../../base/private-jwk.js"
import { createLruCache } from "../../cache/lru-cache.js"
import { CodedError } from "../../errors/error-codes.js"

export const DPOP_ALGORITHM = "ES256"
const CURVE = { name: "ECDSA", namedCurve: "P-256" }
/** The keys whose handles, which contain the nonces of the servers, stay in memory. */
const MAX_HANDLES = 1_000

/** Finds the handle with which a key signs proofs. */
export type FindDpopHandle = (key: PrivateJwk) => Promise<oauth.DPoPHandle>

/** Creates the key of a sign-in. */
export async function createDpopKey(): Promise<PrivateJwk> {
  const { privateKey } = await oauth.generateKeyPair(DPOP_ALGORITHM, { extractable: true })
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", privateKey)
  // A key of this algorithm has these members.
  return { kty, crv, x, y, d } as PrivateJwk
}

async function importHandle(key: PrivateJwk, client: oauth.Client): Promise<oauth.DPoPHandle> {
  const { d: _, ...publicJwk } = key
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.importKey("jwk", key, CURVE, false, ["sign"]),
    crypto.subtle.importKey("jwk", publicJwk, CURVE, true, ["verify"]),
  ])
  return oauth.DPoP(client, { privateKey, publicKey })
}

export function createDpopHandles(client: oauth.Client): FindDpopHandle {
  const handles = createLruCache<Promise<oauth.DPoPHandle>>(MAX_HANDLES)
  return (key) => {
    const id = `${key.x}.${key.y}`
    const handle = handles.get(id) ?? importHandle(key, client)
    handles.set(id, handle)
    return handle
  }
}

/** True if a server requires a nonce in the proof, which its response contains (§8, §9). */
async function requiresNonce(response: Response): Promise<boolean> {
  if (!response.headers.has("dpop-nonce")) return false
  if (response.headers.get("www-authenticate")?.includes("use_dpop_nonce")) return true
  return response.status === 400 && (await response.clone().text()).includes("use_dpop_nonce")
}

/** Sends a request with a proof, and sends it once more if the server requires a nonce. */
export async function sendWithNonce(
  dpop: oauth.DPoPHandle | undefined,
  send: () => Promise<Response>,
): Promise<Response> {
  const response = await send()
  if (!dpop || !(await requiresNonce(response))) return response
  void response.body?.cancel()
  return send()
}

interface BoundToken {
  readonly accessToken: string
  readonly dpop: oauth.DPoPHandle
}

/** Sends a request with a bound token and its proof (§7.1). Redirects are not followed. */
export const sendWithProof = (request: Request, token: BoundToken, send: typeof fetch): Promise<Response> =>
  sendWithNonce(token.dpop, () => sendOnce(request.clone(), token, send))

async function sendOnce(request: Request, { accessToken, dpop }: BoundToken, send: typeof fetch): Promise<Response> {
  const headers = new Headers(request.headers)
  for (const name of ["authorization", "dpop"]) headers.delete(name)
  const received: Response[] = []
  // The library adds the headers, and reads the nonce of the response. It does not need the body of the request.
  const sendSigned = async (_: string, signed: { headers: Record<string, string> }) => {
    const response = await send(new Request(request, { headers: signed.headers, redirect: "manual" }))
    received.push(response)
    return response
  }
  const options = { DPoP: dpop, [oauth.customFetch]: sendSigned, [oauth.allowInsecureRequests]: true }
  const { method, url } = request
  return oauth
    .protectedResourceRequest(accessToken, method, new URL(url), headers, null, options)
    .catch((error: unknown) => {
      // The library throws for a response with a challenge.
      const [response] = received
      if (response) return response
      throw error
    })
}

/**
 * Requires a token that is bound to the key (§5): the provider may ignore the proof.
 *
 * @throws CodedError for another type of token
 */
export function requireBound(tokenType: unknown, dpop: oauth.DPoPHandle | undefined): void {
  if (!dpop || String(tokenType).toLowerCase() === "dpop") return
  const message = `the provider issued a token of the type ${JSON.stringify(tokenType)}, which is not bound to the key. Turn on DPoP for this client at the provider, or remove dpop: true`
  throw new CodedError("dpop-unsupported", message)
}

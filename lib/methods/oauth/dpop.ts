/**
 * DPoP (RFC 9449): access tokens are bound to a key that is created for the sign-in. Each request with a token carries
 * a proof that the key has signed.
 *
 * @module
 */
import * as oauth from "oauth4webapi"
import type { PrivateJwk } from "../../base/private-jwk.js"
import { createLruCache } from "../../cache/lru-cache.js"
import { CodedError } from "../../errors/error-codes.js"

export const DPOP_ALGORITHM = "ES256"
const IMPORT_PARAMS = { name: "ECDSA", namedCurve: "P-256" }
/** Limits the number of cached handles. There is one handle for each key. It contains the servers' latest nonces. */
const MAX_HANDLES = 1_000

/** Returns the handle of `oauth4webapi` that signs proofs with a key. */
export type FindDpopHandle = (key: PrivateJwk) => Promise<oauth.DPoPHandle>

/** Creates a private key for a sign-in. */
export async function createDpopKey(): Promise<PrivateJwk> {
  const { privateKey } = await oauth.generateKeyPair(DPOP_ALGORITHM, { extractable: true })
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", privateKey)
  // A key of this algorithm has these members.
  return { kty, crv, x, y, d } as PrivateJwk
}

async function importHandle(key: PrivateJwk, client: oauth.Client): Promise<oauth.DPoPHandle> {
  const { d: _, ...publicJwk } = key
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.importKey("jwk", key, IMPORT_PARAMS, false, ["sign"]),
    crypto.subtle.importKey("jwk", publicJwk, IMPORT_PARAMS, true, ["verify"]),
  ])
  return oauth.DPoP(client, { privateKey, publicKey })
}

/** Returns a function that creates and caches handles. */
export function createDpopHandles(client: oauth.Client): FindDpopHandle {
  const handles = createLruCache<Promise<oauth.DPoPHandle>>(MAX_HANDLES)
  return (key) => {
    const id = `${key.x}.${key.y}`
    const handle = handles.get(id) ?? importHandle(key, client)
    handles.set(id, handle)
    return handle
  }
}

/** True if a response rejects a proof without a nonce, and contains the nonce to use (§8, §9). */
async function requiresNonce(response: Response): Promise<boolean> {
  if (!response.headers.has("dpop-nonce")) return false
  if (response.headers.get("www-authenticate")?.includes("use_dpop_nonce")) return true
  return response.status === 400 && (await response.clone().text()).includes("use_dpop_nonce")
}

/** Sends a request. With DPoP, sends it once more if the server requires a nonce. */
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

/** Sends a request with a bound token and a proof (§7.1). Redirects are not followed. */
export const sendWithProof = (request: Request, token: BoundToken, send: typeof fetch): Promise<Response> =>
  sendWithNonce(token.dpop, () => sendOnce(request.clone(), token, send))

async function sendOnce(request: Request, { accessToken, dpop }: BoundToken, send: typeof fetch): Promise<Response> {
  const headers = new Headers(request.headers)
  for (const name of ["authorization", "dpop"]) headers.delete(name)
  const responses: Response[] = []
  // The library adds the headers and reads the nonce of the response. The library gets no body, because a proof does
  // not cover the body.
  const sendSigned = async (_: string, signed: { headers: Record<string, string> }) => {
    const response = await send(new Request(request, { headers: signed.headers, redirect: "manual" }))
    responses.push(response)
    return response
  }
  const options = { DPoP: dpop, [oauth.customFetch]: sendSigned, [oauth.allowInsecureRequests]: true }
  const { method, url } = request
  return oauth
    .protectedResourceRequest(accessToken, method, new URL(url), headers, null, options)
    .catch((error: unknown) => {
      // The library throws if the response has a WWW-Authenticate challenge. The caller needs that response.
      const [response] = responses
      if (response) return response
      throw error
    })
}

/**
 * Checks that the access token is bound to the key (§5), because a provider may ignore the proof. Without DPoP, every
 * token is accepted.
 *
 * @throws CodedError if the token type is not DPoP
 */
export function requireDpopToken(tokenType: unknown, dpop: oauth.DPoPHandle | undefined): void {
  if (!dpop || String(tokenType).toLowerCase() === "dpop") return
  const message = `the provider issued a token of the type ${JSON.stringify(tokenType)}, which is not bound to the key. Turn on DPoP for this client at the provider, or remove dpop: true`
  throw new CodedError("dpop-unsupported", message)
}

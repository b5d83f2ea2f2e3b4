import type { StoredTokens } from "../../tokens/token-records.js"
import { sendWithProof } from "./dpop.js"
import type { ReadyOAuth } from "./prepare.js"

/** @throws TypeError if the URL's origin is not in `apiOrigins`, because another site must not get the token */
function requireApiOrigin(url: string, { id, apiOrigins }: ReadyOAuth): void {
  const { origin } = new URL(url)
  if (apiOrigins.has(origin)) return
  throw new TypeError(
    `authorizedFetch does not send the token of ${id} to ${origin}. If this is the provider's API, write apiOrigins: [${JSON.stringify(origin)}] in the options of the provider`,
  )
}

/**
 * Sends a request with an access token to the provider's API (RFC 6750 §2.1). If the token is bound to a key, adds a
 * DPoP proof. Returns redirects and does not follow them, because their target may be another site.
 *
 * @throws TypeError if the URL's origin is not in `apiOrigins`
 */
export async function sendWithToken(
  request: Request,
  { accessToken, dpopKey }: StoredTokens,
  provider: ReadyOAuth,
): Promise<Response> {
  requireApiOrigin(request.url, provider)
  const send = provider.customFetch ?? globalThis.fetch
  if (dpopKey) return sendWithProof(request, { accessToken, dpop: await provider.findDpopHandle(dpopKey) }, send)
  const headers = new Headers(request.headers)
  headers.set("authorization", `Bearer ${accessToken}`)
  return send(new Request(request, { headers, redirect: "manual" }))
}

import { jwtVerify } from "jose/jwt/verify"
import { html } from "../html.js"
import { type ProviderResponse, page, redirect } from "./response.js"
import { clearedCookie, deleteSession } from "./session-cookie.js"
import { type ProviderRequest, type ProviderState, param } from "./state.js"
import { STYLE } from "./style.js"

/** True if this provider issued the id_token to the application. Accepts expired tokens (RP-Initiated Logout §2). */
async function isOwnIdToken(hint: string | undefined, { issuer, clientId, keys }: ProviderState): Promise<boolean> {
  if (hint === undefined) return false
  const options = { issuer, audience: clientId, algorithms: [keys.algorithm], currentDate: new Date(0) }
  return jwtVerify(hint, await keys.publicKey(), options).then(
    () => true,
    () => false,
  )
}

/** The end-session endpoint (OpenID Connect RP-Initiated Logout), without a confirmation. */
export async function endSession(
  { params, headers }: ProviderRequest,
  state: ProviderState,
): Promise<ProviderResponse> {
  deleteSession(headers, state)
  const cleared = { "set-cookie": clearedCookie(state) }
  const uri = param(params, "post_logout_redirect_uri")
  const isKnown =
    param(params, "client_id") === state.clientId || (await isOwnIdToken(param(params, "id_token_hint"), state))
  if (uri !== undefined && isKnown && state.isAllowedRedirect(uri)) {
    const url = new URL(uri)
    const returnedState = param(params, "state")
    if (returnedState !== undefined) url.searchParams.set("state", returnedState)
    return redirect(url.href, cleared)
  }
  const body = html`<h1>You are signed out at the provider</h1>
<p>You may still be signed in to the application.</p>`
  const answer = page({ title: "Signed out", body, style: STYLE })
  return { ...answer, headers: { ...answer.headers, ...cleared } }
}

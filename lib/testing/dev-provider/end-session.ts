import { jwtVerify } from "jose/jwt/verify"
import { html } from "../html.js"
import { type Answer, page, redirect } from "./answer.js"
import { clearedCookie, dropSession } from "./session-cookie.js"
import { type ProviderRequest, type ProviderState, param } from "./state.js"
import { STYLE } from "./style.js"

/** Was the hint issued here, to the application? Also one that has expired counts (RP-Initiated Logout §2). */
async function isHintOurs(hint: string | undefined, { issuer, clientId, keys }: ProviderState): Promise<boolean> {
  if (hint === undefined) return false
  const options = { issuer, audience: clientId, algorithms: [keys.algorithm], currentDate: new Date(0) }
  return jwtVerify(hint, await keys.publicKey(), options).then(
    () => true,
    () => false,
  )
}

/** OpenID Connect RP-Initiated Logout: nobody is asked, for it is a provider of make-believe. */
export async function endSession({ params, headers }: ProviderRequest, state: ProviderState): Promise<Answer> {
  dropSession(headers, state)
  const cleared = { "set-cookie": clearedCookie(state) }
  const uri = param(params, "post_logout_redirect_uri")
  const isKnown =
    param(params, "client_id") === state.clientId || (await isHintOurs(param(params, "id_token_hint"), state))
  if (uri !== undefined && isKnown && state.isOurs(uri)) {
    const url = new URL(uri)
    const echo = param(params, "state")
    if (echo !== undefined) url.searchParams.set("state", echo)
    return redirect(url.href, cleared)
  }
  const body = html`<h1>You are signed out here</h1>
<p>At the application you may still be signed in.</p>`
  const answer = page({ title: "Signed out", body, style: STYLE })
  return { ...answer, headers: { ...answer.headers, ...cleared } }
}

import { html } from "../html.js"
import { type Answer, page, redirect } from "./answer.js"
import type { Destination } from "./refusal.js"
import { STYLE } from "./style.js"

const SUBMIT = "document.forms[0].submit()"

/** OAuth 2.0 Form Post Response Mode: a form that sends itself, and has a button where there is no script. */
function formPost(action: string, fields: readonly (readonly [string, string])[], headers: Answer["headers"]): Answer {
  const inputs = fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const body = html`<h1>Back to the application</h1>
<form method="post" action="${action}">
${inputs}
<button class="primary">Go on</button>
</form>`
  const answer = page({ title: "Back to the application", body, style: STYLE, script: SUBMIT })
  // The application's answer is another site's: what it may do is decided by its own policy.
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

/** The answer to an authorization request (RFC 6749 §4.1.2), by the browser. */
export function authorizationResponse(
  { redirectUri, responseMode, state }: Destination,
  params: Readonly<Record<string, string>>,
  headers: Answer["headers"] = {},
): Answer {
  const fields = Object.entries({ ...params, ...(state !== undefined && { state }) })
  if (responseMode === "form_post") return formPost(redirectUri, fields, headers)
  const url = new URL(redirectUri)
  for (const [name, value] of fields) url.searchParams.set(name, value)
  return redirect(url.href, headers)
}

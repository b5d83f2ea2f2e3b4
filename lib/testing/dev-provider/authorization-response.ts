import { html } from "../html.js"
import type { Destination } from "./refusal.js"
import { type ProviderResponse, page, redirect } from "./response.js"
import { STYLE } from "./style.js"

const SUBMIT = "document.forms[0].submit()"

/**
 * OAuth 2.0 Form Post Response Mode: returns a form that submits itself, with a button for browsers without scripts.
 */
function formPost(
  action: string,
  fields: readonly (readonly [string, string])[],
  headers: ProviderResponse["headers"],
): ProviderResponse {
  const inputs = fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const body = html`<h1>Return to the application</h1>
<form method="post" action="${action}">
${inputs}
<button class="primary">Continue</button>
</form>`
  const response = page({ title: "Return to the application", body, style: STYLE, script: SUBMIT })
  return { ...response, headers: { ...response.headers, ...headers } }
}

/** Creates the authorization response (RFC 6749 §4.1.2), which the browser carries to the application. */
export function authorizationResponse(
  { redirectUri, responseMode, state }: Destination,
  params: Readonly<Record<string, string>>,
  headers: ProviderResponse["headers"] = {},
): ProviderResponse {
  const fields = Object.entries({ ...params, ...(state !== undefined && { state }) })
  if (responseMode === "form_post") return formPost(redirectUri, fields, headers)
  const url = new URL(redirectUri)
  for (const [name, value] of fields) url.searchParams.set(name, value)
  return redirect(url.href, headers)
}

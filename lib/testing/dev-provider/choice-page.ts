import { type Html, html } from "../html.js"
import type { AuthorizationRequest } from "./authorization-request.js"
import { type ClaimsForm, type InvalidForm, toForm } from "./choice.js"
import { PATHS } from "./discovery.js"
import { MODE_NAMES, MODES } from "./mode.js"
import { type ProviderResponse, page } from "./response.js"
import type { ProviderState } from "./state.js"
import { STYLE } from "./style.js"
import type { DevUser } from "./users.js"

/** The content of the page. */
export interface ChoiceProps {
  readonly request: AuthorizationRequest
  /** The query of the authorization request. The forms submit it again. */
  readonly query: string
  readonly state: ProviderState
  /** The `sub` of the user that `login_hint` names. This user is listed first. */
  readonly preferredSub?: string | undefined
  readonly invalidForm?: InvalidForm
}

const EMPTY_FORM: ClaimsForm = { sub: "", name: "", email: "", isVerified: true, more: "" }

const hidden = (query: string): Html => html`<input type="hidden" name="request" value="${query}">`

const userButton = (sub: string, { name, email }: DevUser): Html =>
  html`<button name="user" value="${sub}"><b>${name ?? sub}</b> <span>${email ?? "no email address"}</span></button>`

interface FormProps {
  readonly form: ClaimsForm
  readonly query: string
  readonly invalidForm: InvalidForm | undefined
}

/** Returns the form for a user's claims. An error is shown above the field that it concerns. */
function claimsForm({ form, query, invalidForm }: FormProps): Html {
  const alert = invalidForm && html`<p class="alert" id="error" role="alert">${invalidForm.message}</p>`
  const invalid = invalidForm && html` aria-invalid="true" aria-describedby="error" autofocus`
  const checked = form.isVerified ? html` checked` : undefined
  return html`<form method="post" action="${PATHS.choose}">
${hidden(query)}
<input type="hidden" name="sub" value="${form.sub}">
<label>Name <input name="name" value="${form.name}" autocomplete="off"></label>
<label>Email <input name="email" value="${form.email}" autocomplete="off" inputmode="email"></label>
<label class="tick"><input type="checkbox" name="email_verified"${checked}> The address is verified</label>
${alert}
<label>Other claims, as JSON <textarea name="more" spellcheck="false"${invalid}>
${form.more}</textarea></label>
<button class="primary">Sign in with these claims</button>
</form>`
}

/** Returns the form in a `<details>` element, which is open if the form has an error. */
function claimsDetails(summary: string, form: ClaimsForm, { query, invalidForm }: ChoiceProps): Html {
  const formError = invalidForm?.form.sub === form.sub ? invalidForm : undefined
  return html`<details${formError && html` open`}>
<summary>${summary}</summary>
${claimsForm({ form: formError?.form ?? form, query, invalidForm: formError })}
</details>`
}

function userItem(sub: string, user: DevUser, props: ChoiceProps): Html {
  return html`<li>
<form method="post" action="${PATHS.choose}">
${hidden(props.query)}
${userButton(sub, user)}
</form>
${claimsDetails(`Change the claims of ${user.name ?? sub}`, toForm(sub, user), props)}
</li>`
}

function modesDetails(users: readonly (readonly [string, DevUser])[], query: string): Html {
  const options = users.map(([sub, { name }]) => html`<option value="${sub}">${name ?? sub}</option>`)
  const buttons = MODE_NAMES.map((mode) => {
    const { label, outcome } = MODES[mode]
    return html`<button name="mode" value="${mode}"><b>${label}</b> <span>${outcome}</span></button>`
  })
  return html`<details>
<summary>Simulate a failure</summary>
<form method="post" action="${PATHS.choose}">
${hidden(query)}
<label>User <select name="user">${options}</select></label>
${buttons}
</form>
</details>`
}

/** Returns the users, beginning with the preferred user. */
function sortUsers(
  { users }: ProviderState,
  preferredSub: string | undefined,
): readonly (readonly [string, DevUser])[] {
  const all = [...users]
  return [...all.filter(([sub]) => sub === preferredSub), ...all.filter(([sub]) => sub !== preferredSub)]
}

/** Returns the page on which the visitor chooses a user. */
export function choicePage(props: ChoiceProps): ProviderResponse {
  const { request, query, state, preferredSub, invalidForm } = props
  const users = sortUsers(state, preferredSub)
  const body = html`<h1>Choose a user</h1>
<p class="lead">You are signing in to ${new URL(request.redirectUri).host}.</p>
<ul>
${users.map(([sub, user]) => userItem(sub, user, props))}
</ul>
${claimsDetails("New user", EMPTY_FORM, props)}
${modesDetails(users, query)}
<form method="post" action="${PATHS.choose}">
${hidden(query)}
<button class="plain" name="mode" value="deny">Cancel</button>
</form>`
  return page({ title: "Choose a user", body, style: STYLE }, invalidForm ? 422 : 200)
}

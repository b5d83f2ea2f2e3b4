import { type Html, html } from "../html.js"
import { type Answer, page } from "./answer.js"
import type { AuthorizationRequest } from "./authorization-request.js"
import { type ClaimsForm, formOf, type Mistake } from "./choice.js"
import { PATHS } from "./discovery.js"
import { MODE_NAMES, MODES } from "./mode.js"
import type { DevPerson } from "./people.js"
import type { ProviderState } from "./state.js"
import { STYLE } from "./style.js"

export interface ChoiceProps {
  readonly request: AuthorizationRequest
  /** The request's query, which the forms bring back. */
  readonly query: string
  readonly state: ProviderState
  /** Who comes first: the one that the request names. */
  readonly preferred?: string | undefined
  readonly mistake?: Mistake
}

const NOBODY: ClaimsForm = { sub: "", name: "", email: "", isVerified: true, more: "" }

const hidden = (query: string): Html => html`<input type="hidden" name="request" value="${query}">`

const personButton = (sub: string, { name, email }: DevPerson): Html =>
  html`<button name="person" value="${sub}"><b>${name ?? sub}</b> <span>${email ?? "no e-mail address"}</span></button>`

interface FormProps {
  readonly form: ClaimsForm
  readonly query: string
  readonly mistake: Mistake | undefined
}

/** The fields of one person's claims. What was wrong stands above the field, which has the cursor. */
function claimsForm({ form, query, mistake }: FormProps): Html {
  const alert = mistake && html`<p class="alert" id="mistake" role="alert">${mistake.mistake}</p>`
  const invalid = mistake && html` aria-invalid="true" aria-describedby="mistake" autofocus`
  const checked = form.isVerified ? html` checked` : undefined
  return html`<form method="post" action="${PATHS.choose}">
${hidden(query)}
<input type="hidden" name="sub" value="${form.sub}">
<label>Name <input name="name" value="${form.name}" autocomplete="off"></label>
<label>E-mail <input name="email" value="${form.email}" autocomplete="off" inputmode="email"></label>
<label class="tick"><input type="checkbox" name="email_verified"${checked}> The address is verified</label>
${alert}
<label>Other claims, as JSON <textarea name="more" spellcheck="false"${invalid}>
${form.more}</textarea></label>
<button class="primary">Sign in with these</button>
</form>`
}

/** The form below its summary, opened where it has to be seen. */
function claimsDetails(summary: string, form: ClaimsForm, { query, mistake }: ChoiceProps): Html {
  const own = mistake?.form.sub === form.sub ? mistake : undefined
  return html`<details${own && html` open`}>
<summary>${summary}</summary>
${claimsForm({ form: own?.form ?? form, query, mistake: own })}
</details>`
}

function personItem(sub: string, person: DevPerson, props: ChoiceProps): Html {
  return html`<li>
<form method="post" action="${PATHS.choose}">
${hidden(props.query)}
${personButton(sub, person)}
</form>
${claimsDetails(`Change what is said of ${person.name ?? sub}`, formOf(sub, person), props)}
</li>`
}

function modesDetails(people: readonly (readonly [string, DevPerson])[], query: string): Html {
  const options = people.map(([sub, { name }]) => html`<option value="${sub}">${name ?? sub}</option>`)
  const buttons = MODE_NAMES.map((mode) => {
    const { label, outcome } = MODES[mode]
    return html`<button name="mode" value="${mode}"><b>${label}</b> <span>${outcome}</span></button>`
  })
  return html`<details>
<summary>Let something go wrong</summary>
<form method="post" action="${PATHS.choose}">
${hidden(query)}
<label>Whose sign-in <select name="person">${options}</select></label>
${buttons}
</form>
</details>`
}

/** The people, the one that the request names first. */
function inOrder({ people }: ProviderState, preferred: string | undefined): readonly (readonly [string, DevPerson])[] {
  const all = [...people]
  return [...all.filter(([sub]) => sub === preferred), ...all.filter(([sub]) => sub !== preferred)]
}

/** The page that asks who is there. */
export function choicePage(props: ChoiceProps): Answer {
  const { request, query, state, preferred, mistake } = props
  const people = inOrder(state, preferred)
  const body = html`<h1>Who are you?</h1>
<p class="lead">You go on to ${new URL(request.redirectUri).host}.</p>
<ul>
${people.map(([sub, person]) => personItem(sub, person, props))}
</ul>
${claimsDetails("Somebody new", NOBODY, props)}
${modesDetails(people, query)}
<form method="post" action="${PATHS.choose}">
${hidden(query)}
<button class="plain" name="mode" value="deny">Cancel</button>
</form>`
  return page({ title: "Who are you?", body, style: STYLE }, mistake ? 422 : 200)
}

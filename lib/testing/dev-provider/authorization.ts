import { randomText } from "../../security/tokens.js"
import type { Answer } from "./answer.js"
import { type AuthorizationRequest, requireAuthorizationRequest } from "./authorization-request.js"
import { authorizationResponse } from "./authorization-response.js"
import { type Choice, readChoice } from "./choice.js"
import { choicePage } from "./choice-page.js"
import { type Behaviour, MODES } from "./mode.js"
import { claimsFor, findPerson } from "./people.js"
import { Refusal } from "./refusal.js"
import { currentSession, sessionCookie } from "./session-cookie.js"
import { type DevAnswer, type Grant, type ProviderRequest, type ProviderState, param, secondsNow } from "./state.js"

const CODE_LIFETIME_SECONDS = 60
const SESSION_LIFETIME_SECONDS = 8 * 60 * 60

/** The authorization endpoint (OpenID Connect Core §3.1.2): answers by itself where it can, else asks. */
export async function authorize(received: ProviderRequest, state: ProviderState): Promise<Answer> {
  const request = requireAuthorizationRequest(received.params, state)
  const ordered = state.takeAnswer()
  if (ordered) return complete(request, ordered, state)
  if (request.prompts.has("none")) return answerSilently(request, received, state)
  const hinted = request.loginHint === undefined ? undefined : findPerson(state.people, request.loginHint)
  // Whoever wants the person to be asked gets that, also where the answer is known.
  if (hinted !== undefined && request.prompts.size === 0) return complete(request, { as: hinted }, state)
  return choicePage({ request, query: received.params.toString(), state, preferred: hinted })
}

/** `prompt=none` (Core §3.1.2.6): who is signed in here already, or an error. */
async function answerSilently(
  request: AuthorizationRequest,
  { headers }: ProviderRequest,
  state: ProviderState,
): Promise<Answer> {
  const session = currentSession(headers, state)
  const isRecent = session && secondsNow(state) - session.authTimeSeconds <= (request.maxAgeSeconds ?? Infinity)
  if (!isRecent || !state.people.has(session.sub))
    throw new Refusal("login_required", "nobody is signed in here with this browser, or not recently enough", {
      to: request,
    })
  return answerWith(request, grantFor(request, { as: session.sub }, { state, session }), { state })
}

/** What the page's forms are sent to. */
export async function choose({ params, headers }: ProviderRequest, state: ProviderState): Promise<Answer> {
  // Another site must not sign anybody in here; a browser that says nothing of it is none that is in use.
  if (!["same-origin", undefined].includes(headers["sec-fetch-site"]))
    throw new Refusal("invalid_request", "the form was sent from another site", { status: 403 })
  const query = param(params, "request") ?? ""
  const request = requireAuthorizationRequest(new URLSearchParams(query), state)
  const choice: Choice = readChoice(params, state.people)
  if ("mistake" in choice) return choicePage({ request, query, state, mistake: choice })
  if (choice.written) state.people.set(choice.written.sub, choice.written.claims)
  return complete(request, choice.answer, state)
}

/** Carries out what was chosen or ordered. */
async function complete(request: AuthorizationRequest, answer: DevAnswer, state: ProviderState): Promise<Answer> {
  const behaviour: Behaviour = answer.mode ? MODES[answer.mode] : {}
  const { refusal } = behaviour
  if (refusal) throw new Refusal(refusal.error, refusal.description, { to: request })
  if (behaviour.changesKeys) await state.keys.rotate()
  const grant = grantFor(request, answer, { state })
  const session = { sub: grant.sub, authTimeSeconds: grant.authTimeSeconds }
  const cookie = sessionCookie(state.sessions.put(session, SESSION_LIFETIME_SECONDS), state)
  return answerWith(request, grant, { state, headers: { "set-cookie": cookie } })
}

interface Circumstances {
  readonly state: ProviderState
  readonly session?: { readonly authTimeSeconds: number }
}

function grantFor(request: AuthorizationRequest, answer: DevAnswer, { state, session }: Circumstances): Grant {
  const [first = ""] = state.people.keys()
  const sub = findPerson(state.people, answer.as ?? first)
  // Whoever was named may have been taken away since.
  if (sub === undefined) throw new Refusal("access_denied", "there is nobody to sign in as", { to: request })
  const behaviour: Behaviour = answer.mode ? MODES[answer.mode] : {}
  const person = { ...state.people.get(sub), ...answer.claims }
  return {
    sub,
    claims: claimsFor(behaviour.describe?.(person) ?? person, new Set(request.scope.split(" "))),
    scope: request.scope,
    redirectUri: request.redirectUri,
    challenge: request.challenge,
    nonce: request.nonce,
    authTimeSeconds: session?.authTimeSeconds ?? secondsNow(state),
    behaviour,
    isRedeemed: false,
    isRevoked: false,
  }
}

function answerWith(
  request: AuthorizationRequest,
  grant: Grant,
  { state, headers }: { readonly state: ProviderState; readonly headers?: Answer["headers"] },
): Answer {
  const { isCodeExpired, losesState } = grant.behaviour
  const code = state.codes.put(grant, isCodeExpired ? 0 : CODE_LIFETIME_SECONDS)
  const to = losesState ? { ...request, state: randomText() } : request
  // RFC 9207: an application with several providers learns whose answer it is.
  return authorizationResponse(to, { code, iss: state.issuer }, headers)
}

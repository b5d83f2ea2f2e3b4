import { randomText } from "../../security/tokens.js"
import { type AuthorizationRequest, requireAuthorizationRequest } from "./authorization-request.js"
import { authorizationResponse } from "./authorization-response.js"
import { type Choice, readChoice } from "./choice.js"
import { choicePage } from "./choice-page.js"
import { type Behaviour, MODES } from "./mode.js"
import { Refusal } from "./refusal.js"
import type { ProviderResponse } from "./response.js"
import { currentSession, sessionCookie } from "./session-cookie.js"
import { type DevAnswer, type Grant, type ProviderRequest, type ProviderState, param, secondsNow } from "./state.js"
import { claimsFor, findUserSub } from "./users.js"

const CODE_LIFETIME_SECONDS = 60
const SESSION_LIFETIME_SECONDS = 8 * 60 * 60

/**
 * The authorization endpoint (OpenID Connect Core §3.1.2). It shows the page, unless a configured answer, `prompt=none`
 * or `login_hint` decides the response.
 */
export async function authorize(httpRequest: ProviderRequest, state: ProviderState): Promise<ProviderResponse> {
  const request = requireAuthorizationRequest(httpRequest.params, state)
  const configuredAnswer = state.takeAnswer()
  if (configuredAnswer) return complete(request, configuredAnswer, state)
  if (request.prompts.has("none")) return answerSilently(request, httpRequest, state)
  const hintedSub = request.loginHint === undefined ? undefined : findUserSub(state.users, request.loginHint)
  // The parameter `prompt` requests the page, even if `login_hint` names the user.
  if (hintedSub !== undefined && request.prompts.size === 0) return complete(request, { as: hintedSub }, state)
  return choicePage({ request, query: httpRequest.params.toString(), state, preferredSub: hintedSub })
}

/** Answers `prompt=none` (Core §3.1.2.6): signs in the current user of the provider, or returns an error. */
async function answerSilently(
  request: AuthorizationRequest,
  { headers }: ProviderRequest,
  state: ProviderState,
): Promise<ProviderResponse> {
  const session = currentSession(headers, state)
  const isRecent = session && secondsNow(state) - session.authTimeSeconds <= (request.maxAgeSeconds ?? Infinity)
  if (!isRecent || !state.users.has(session.sub))
    throw new Refusal("login_required", "no user is signed in in this browser, or the sign-in is older than max_age", {
      to: request,
    })
  return respondWithCode(request, createGrant(request, { as: session.sub }, { state, session }), { state })
}

/** Handles the forms of the page. */
export async function choose({ params, headers }: ProviderRequest, state: ProviderState): Promise<ProviderResponse> {
  // Rejects a post from another site. All current browsers send this header.
  if (!["same-origin", undefined].includes(headers["sec-fetch-site"]))
    throw new Refusal("invalid_request", "the form was submitted from another site", { status: 403 })
  const query = param(params, "request") ?? ""
  const request = requireAuthorizationRequest(new URLSearchParams(query), state)
  const choice: Choice = readChoice(params, state.users)
  if ("message" in choice) return choicePage({ request, query, state, invalidForm: choice })
  if (choice.edited) state.users.set(choice.edited.sub, choice.edited.claims)
  return complete(request, choice.answer, state)
}

/** Applies the chosen or configured answer. */
async function complete(
  request: AuthorizationRequest,
  answer: DevAnswer,
  state: ProviderState,
): Promise<ProviderResponse> {
  const behaviour: Behaviour = answer.mode ? MODES[answer.mode] : {}
  const { refusal } = behaviour
  if (refusal) throw new Refusal(refusal.error, refusal.description, { to: request })
  if (behaviour.changesKeys) await state.keys.rotate()
  const grant = createGrant(request, answer, { state })
  const session = { sub: grant.sub, authTimeSeconds: grant.authTimeSeconds }
  const cookie = sessionCookie(state.sessions.put(session, SESSION_LIFETIME_SECONDS), state)
  return respondWithCode(request, grant, { state, headers: { "set-cookie": cookie } })
}

interface GrantContext {
  readonly state: ProviderState
  readonly session?: { readonly authTimeSeconds: number }
}

function createGrant(request: AuthorizationRequest, answer: DevAnswer, { state, session }: GrantContext): Grant {
  const [first = ""] = state.users.keys()
  const sub = findUserSub(state.users, answer.as ?? first)
  // The test may have removed the user in the meantime.
  if (sub === undefined) throw new Refusal("access_denied", "there is no user to sign in", { to: request })
  const behaviour: Behaviour = answer.mode ? MODES[answer.mode] : {}
  const user = { ...state.users.get(sub), ...answer.claims }
  return {
    sub,
    claims: claimsFor(behaviour.changeClaims?.(user) ?? user, new Set(request.scope.split(" "))),
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

function respondWithCode(
  request: AuthorizationRequest,
  grant: Grant,
  { state, headers }: { readonly state: ProviderState; readonly headers?: ProviderResponse["headers"] },
): ProviderResponse {
  const { isCodeExpired, losesState } = grant.behaviour
  const code = state.codes.put(grant, isCodeExpired ? 0 : CODE_LIFETIME_SECONDS)
  const to = losesState ? { ...request, state: randomText() } : request
  // RFC 9207: identifies the issuer of the response.
  return authorizationResponse(to, { code, iss: state.issuer }, headers)
}

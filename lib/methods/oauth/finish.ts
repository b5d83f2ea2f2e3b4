import { randomUUID } from "node:crypto"
import * as oauth from "oauth4webapi"
import type { Identity } from "../../accounts/identity.js"
import { isPlainObject } from "../../base/merge.js"
import { withTimeout } from "../../base/timeout.js"
import type { Account, Profile, TokenSet, User } from "../../base/types.js"
import { CodedError, coded } from "../../errors/error-codes.js"
import {
  AccessDenied,
  asAuthError,
  InvalidCheck,
  OAuthAccountNotLinked,
  OAuthCallbackError,
  OAuthProfileParseError,
} from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import { foreignCookieHint, missingCookieHint } from "../../http/cookie-hints.js"
import { OUTBOUND_TIMEOUT_MS } from "../../security/outbound.js"
import { consumeFlow } from "../../security/sealed-flows.js"
import { requireUserId } from "../../security/user-id.js"
import type { CallbackState, MethodRuntime, PendingFlow } from "../method.js"
import { createDpopKey } from "./dpop.js"
import { rejectDuplicateParams } from "./duplicate-params.js"
import { dropFlow, type Flow, findFlow, hasFlowCookie } from "./flow.js"
import { openPostedResponse } from "./form-post.js"
import { readAuthentication } from "./id-token.js"
import { decodeResponse, requireValidResponse } from "./jwt-response.js"
import { loadMetadata, sealLogoutHint } from "./logout.js"
import type { ReadyOAuth } from "./prepare.js"
import { hintFor, refusal, sanitizeProviderError } from "./provider-errors.js"
import { redirectUri } from "./proxy.js"
import { readReason } from "./reason.js"
import { type Exchange, type ExchangedTokens, exchangeCode, TokenRefusal } from "./token-request.js"
import { traceProfile, traceReturn, traceTokens, tracingFetch } from "./trace.js"
import { type TrackedSecrets, trackSecrets } from "./tracked-secrets.js"
import { readProfile } from "./userinfo.js"

/** The authorization response, and the flow of this browser that it belongs to. */
export interface PendingOAuth {
  readonly response: Pick<AuthCall, "query" | "repeatedFields">
  readonly found: { readonly flow: Flow; readonly id: string } | undefined
}

const toFlowState = ({ callbackUrl, remember = false, isReauthentication = false, requiredQuery = "" }: Flow) => ({
  callbackUrl,
  remember,
  isReauthentication,
  requiredQuery,
})

export function resumeOAuth(
  received: AuthCall,
  provider: ReadyOAuth,
  runtime: MethodRuntime,
): PendingFlow<PendingOAuth> {
  const posted = provider.usesFormPost ? openPostedResponse(received, provider, runtime) : received
  const response = provider.usesJwtResponse ? decodeResponse(posted) : posted
  const { query, repeatedFields } = response
  const call = { ...received, query, repeatedFields }
  const found = findFlow(call, provider, runtime)
  traceReturn(received, call, found?.flow)
  const key = query["state"] ?? query["code"]
  return {
    pending: { response: { query, repeatedFields }, found },
    ...(found && toFlowState(found.flow)),
    key,
    cookies: dropFlow(call, provider),
  }
}

function lostFlowHint(call: AuthCall, provider: ReadyOAuth): { hint?: string } {
  const hint = hasFlowCookie(call, provider) ? foreignCookieHint("state") : missingCookieHint(call)
  return hint === undefined ? {} : { hint }
}

/** Consumes the flow of an authorization response. */
async function requireFlow(
  call: AuthCall,
  { provider, pending: { found } }: CallbackState<ReadyOAuth, PendingOAuth>,
  runtime: MethodRuntime,
): Promise<Flow | undefined> {
  if (!found) {
    if (provider.checks.size === 0) return undefined
    const [check = "state"] = provider.checks
    throw new InvalidCheck(
      `${check === "pkce" ? "pkceCodeVerifier" : check} could not be checked: this browser has no pending sign-in with this provider. It was already finished, is older than 15 minutes, or its cookies are blocked`,
      { provider: provider.id, ...lostFlowHint(call, provider) },
    )
  }
  if (!(await consumeFlow(found, runtime)))
    throw coded("flow-finished", new InvalidCheck("the sign-in was already finished", { provider: provider.id }))
  return found.flow
}

/** Validates the authorization response (RFC 6749 §4.1.2, RFC 9207 §2.4). */
async function requireCode(
  call: AuthCall,
  flow: Flow | undefined,
  { as, provider, nowMs }: Pick<Exchange, "as" | "provider" | "nowMs">,
): Promise<URLSearchParams> {
  rejectDuplicateParams(call, provider)
  const { form_post: _, ...response } = call.query
  const params = new URLSearchParams(response)
  if (provider.usesJwtResponse) {
    await requireValidResponse(call.query["response"] ?? "", { as, provider, nowMs })
    params.delete("response")
  }
  // Without a configured issuer, `iss` can't be compared.
  if (!provider.issuer) params.delete("iss")
  if (params.has("error") && (!params.has("iss") || params.get("iss") === as.issuer))
    throw refusal(call.query, {
      provider: provider.id,
      redirectUri: redirectUri(call, provider),
      nonce: flow?.nonce,
    })
  return oauth.validateAuthResponse(as, provider.client, params, flow?.state ?? oauth.skipStateCheck)
}

/** Apple posts the user's name with the code, only at the first consent. */
function withPostedUser(profile: Profile, posted: string | undefined): Profile {
  // The browser's data is not authenticated, so it never replaces the provider's claims.
  if (!posted || "user" in profile) return profile
  try {
    const user: unknown = JSON.parse(posted)
    return isPlainObject(user) ? { ...profile, user } : profile
  } catch {
    return profile
  }
}

/** Lets a request time out first, so that its error names the request. */
const GRACE_MS = 500

/** Finishes the flow and returns the user's identity. */
export async function finishOAuth(
  received: AuthCall,
  state: CallbackState<ReadyOAuth, PendingOAuth>,
  runtime: MethodRuntime,
): Promise<Identity> {
  const { provider, pending } = state
  const call = { ...received, ...pending.response }
  const flow = await requireFlow(call, state, runtime)
  const tracked = trackSecrets(provider)
  try {
    const identity = await withTimeout(
      exchangeAndIdentify(call, flow, { ...tracked, runtime }),
      OUTBOUND_TIMEOUT_MS + GRACE_MS,
      `the sign-in was not finished within ${OUTBOUND_TIMEOUT_MS / 1000} s, all calls and the provider's own functions together`,
    )
    return { ...identity, ...sealLogoutHint(identity.account.id_token, state.provider, runtime) }
  } catch (error) {
    throw asAuthError(error) ?? asCallbackError(error, tracked, { call, flow })
  }
}

async function exchangeAndIdentify(
  call: AuthCall,
  flow: Flow | undefined,
  { provider, secrets, runtime }: TrackedSecrets & { readonly runtime: MethodRuntime },
): Promise<Identity> {
  const fetch = tracingFetch(provider.fetchFor(AbortSignal.timeout(OUTBOUND_TIMEOUT_MS)), call.trace)
  const as = await loadMetadata(provider, runtime)
  const nowMs = runtime.now()
  const params = await requireCode(call, flow, { as, provider, nowMs })
  const dpopKey = provider.usesDpop ? await createDpopKey() : undefined
  const dpop = dpopKey && (await provider.findDpopHandle(dpopKey))
  const redirect_uri = redirectUri(call, provider)
  const exchange = { as, provider, flow, redirectUri: redirect_uri, query: call.query, fetch, nowMs, dpop }
  const exchanged = await exchangeCode(exchange, params)
  traceTokens(exchanged, call.trace, nowMs)
  try {
    const identity = await identify(exchange, exchanged, secrets)
    traceProfile(identity, call.trace)
    requireAccount(identity, flow)
    requireContext(identity, flow)
    // Without checks there may be no flow, so the current user did not start it.
    return { ...identity, ...(dpopKey && { dpopKey }), startedBy: flow ? flow.userId : null }
  } catch (error) {
    throw asAuthError(error) ?? withoutTokens(error, exchanged.tokens)
  }
}

/** @throws OAuthAccountNotLinked if the user was sent to grant access for another account */
function requireAccount({ account: { provider, providerAccountId } }: Identity, flow: Flow | undefined): void {
  if (flow?.accountId !== undefined && flow.accountId !== providerAccountId)
    throw new OAuthAccountNotLinked("the user granted access with another account than the one that is connected", {
      provider,
    })
}

/**
 * Checks `acr` of a reauthentication (OpenID Connect Core §3.1.2.1): providers may ignore `acr_values`. The library
 * checks `auth_time`.
 *
 * @throws Error if the provider did not authenticate the user as requested
 */
function requireContext({ authentication }: Identity, flow: Flow | undefined): void {
  const requested = (flow?.acrValues ?? "").split(" ").filter(Boolean)
  if (requested.length === 0 || requested.includes(authentication?.acr ?? "")) return
  throw new CodedError(
    "authentication-context-missing",
    "the id_token's acr is not one of the requested values, or trustAuthenticationContext is not set",
  )
}

/** The token values, which an error of a provider's own function may contain. */
const tokenValues = ({ access_token, refresh_token, id_token }: TokenSet) => [access_token, refresh_token, id_token]

/** Masks the tokens in an error, and keeps its code. */
function withoutTokens(error: unknown, tokens: TokenSet): Error {
  const plain = sanitizeProviderError(error, tokenValues(tokens))
  const reason = readReason(error)
  if (!reason) return plain
  const failure = new CodedError(reason, plain.message)
  failure.name = plain.name
  failure.stack = plain.stack ?? ""
  return failure
}

/** Reads the profile and returns the identity to which the tokens belong. */
async function identify(exchange: Exchange, exchanged: ExchangedTokens, secrets: readonly string[]): Promise<Identity> {
  const { provider, query, fetch } = exchange
  const profile = withPostedUser(
    await readProfile(exchange, exchanged),
    provider.usesFormPost ? query["user"] : undefined,
  )
  if (!(await provider.isAllowed(profile)))
    throw coded(
      "user-not-allowed",
      new AccessDenied("the provider's options do not allow this user", { provider: provider.id }),
    )
  const requestedScope = exchange.flow?.scope ?? provider.authorizationParams["scope"]
  const identity = await toIdentity(profile, { tokens: exchanged.tokens, provider, secrets, fetch, requestedScope })
  return { ...identity, authentication: readAuthentication(exchanged.claims ?? {}, exchange) }
}

function asCallbackError(
  error: unknown,
  { provider, secrets }: TrackedSecrets,
  { call, flow }: { readonly call: AuthCall; readonly flow: Flow | undefined },
): OAuthCallbackError {
  const hint = error instanceof TokenRefusal ? hintFor(error, redirectUri(call, provider)) : {}
  return coded(
    readReason(error) ?? "provider-answer-invalid",
    new OAuthCallbackError("the provider's response can't be used", {
      provider: provider.id,
      err: sanitizeProviderError(error, [
        call.query["code"],
        call.query["response"],
        flow?.state,
        flow?.verifier,
        flow?.nonce,
        ...secrets,
      ]),
      ...hint,
    }),
  )
}

interface Mapping extends TrackedSecrets {
  readonly tokens: TokenSet
  readonly fetch: typeof globalThis.fetch
  readonly requestedScope: string | undefined
}

/** Converts a profile to a user with the provider's `profile` function. */
async function mapProfile(profile: Profile, mapping: Mapping): Promise<User & { id: string }> {
  const { tokens, provider, secrets, fetch } = mapping
  try {
    const user = await provider.profile(profile, tokens, { tokens, provider: provider.providerArgument, fetch })
    return { ...user, id: requireUserId(user?.id, "profile()", profile) }
  } catch (error) {
    throw new OAuthProfileParseError("the provider's profile can't be turned into a user", {
      provider: provider.id,
      err: sanitizeProviderError(error, [...tokenValues(tokens), ...secrets]),
      // Names only, because the values are personal data.
      members: Object.keys(profile),
    })
  }
}

/**
 * Converts an address to lower case. A letter whose conversion can't be reversed is kept: the Kelvin sign would become
 * an ASCII "k", and the address would be that of another user.
 */
const lowerCase = (email: string): string =>
  email.replace(/\p{L}/gu, (letter) => {
    const lower = letter.toLowerCase()
    return lower.toUpperCase() === letter ? lower : letter
  })

/** `email_verified` applies to the claim `email` only, not to an address from another claim. */
const isOwnAddress = (email: unknown, { email: claim }: Profile): boolean =>
  typeof claim !== "string" || lowerCase(String(email)) === lowerCase(claim)

async function toIdentity(profile: Profile, mapping: Mapping): Promise<Identity> {
  const { tokens, provider, requestedScope } = mapping
  const mapped = await mapProfile(profile, mapping)
  // The provider must not set the `userId` of the account.
  const { userId: _, ...ownTokens } = tokens
  const account: Account = { ...ownTokens, provider: provider.id, type: provider.type, providerAccountId: mapped.id }
  const { email, ...rest } = mapped
  // Auth.js compatibility: the address is a non-empty string or absent. Some profiles contain null, others "", which
  // would be the same address for several users.
  const address = typeof email === "string" && email !== "" ? { email: lowerCase(email) } : {}
  const user: User = { ...rest, id: randomUUID(), ...address }
  return {
    user,
    account,
    profile,
    tokensToStore: () => provider.account(tokens) ?? {},
    ...(requestedScope !== undefined && { requestedScope }),
    isEmailVerified: provider.isEmailVerified(profile) && isOwnAddress(email, profile),
    allowsEmailLinking: provider.allowsEmailLinking,
  }
}

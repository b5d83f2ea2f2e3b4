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
import { createAuthorizationError, refusalHint, sanitizeProviderError } from "./provider-errors.js"
import { redirectUri } from "./proxy.js"
import { readMessageCode } from "./reason.js"
import { type Exchange, type ExchangedTokens, exchangeCode, requestedScope, TokenRefusal } from "./token-request.js"
import { traceAuthorizationResponse, traceProfile, traceTokens, tracingFetch } from "./trace.js"
import { type TrackedSecrets, trackSecrets } from "./tracked-secrets.js"
import { readProfile } from "./userinfo.js"

/** An authorization response and its pending flow. */
export interface PendingOAuth {
  readonly response: Pick<AuthCall, "query" | "repeatedFields">
  /** Undefined if this browser has no flow for the response. */
  readonly found: { readonly flow: Flow; readonly id: string } | undefined
}

const toCallState = ({ callbackUrl, remember = false, isReauthentication = false, requiredQuery = "" }: Flow) => ({
  callbackUrl,
  remember,
  isReauthentication,
  requiredQuery,
})

/** Reads the authorization response without validating it, finds its flow, and writes both to the trace. */
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
  traceAuthorizationResponse(received, call, found?.flow)
  const key = query["state"] ?? query["code"]
  return {
    pending: { response: { query, repeatedFields }, found },
    ...(found && toCallState(found.flow)),
    key,
    cookies: dropFlow(call, provider),
  }
}

/** Returns a hint that tells the operator why a response has no flow; empty if the request does not show the cause. */
function lostFlowHint(call: AuthCall, provider: ReadyOAuth): { hint?: string } {
  const hint = hasFlowCookie(call, provider) ? foreignCookieHint("state") : missingCookieHint(call)
  return hint === undefined ? {} : { hint }
}

/**
 * Returns the flow of an authorization response, and marks the flow as used. Undefined if there is no flow, which is
 * allowed only for a provider without checks.
 *
 * @throws InvalidCheck if a required flow is missing, or if the flow was already used
 */
async function requireFlow(
  call: AuthCall,
  { provider, pending: { found } }: CallbackState<ReadyOAuth, PendingOAuth>,
  runtime: MethodRuntime,
): Promise<Flow | undefined> {
  if (!found) {
    if (provider.checks.size === 0) return undefined
    const [check = "state"] = provider.checks
    throw new InvalidCheck(
      `${check === "pkce" ? "pkceCodeVerifier" : check} could not be checked: this browser has no sign-in in progress with this provider. The sign-in was already finished, it started more than 15 minutes ago, or the browser blocks cookies`,
      { provider: provider.id, ...lostFlowHint(call, provider) },
    )
  }
  if (!(await consumeFlow(found, runtime)))
    throw coded("flow-finished", new InvalidCheck("the sign-in was already finished", { provider: provider.id }))
  return found.flow
}

/**
 * Validates the authorization response (RFC 6749 §4.1.2, RFC 9207 §2.4) and returns its parameters.
 *
 * @throws OAuthCallbackError for an error response or a repeated parameter; Error that names any other failed check
 */
async function validateResponse(
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
  // Without a configured issuer, there is nothing to compare `iss` with.
  if (!provider.issuer) params.delete("iss")
  if (params.has("error") && (!params.has("iss") || params.get("iss") === as.issuer))
    throw createAuthorizationError(call.query, {
      provider: provider.id,
      redirectUri: redirectUri(call, provider),
      nonce: flow?.nonce,
    })
  return oauth.validateAuthResponse(as, provider.client, params, flow?.state ?? oauth.skipStateCheck)
}

/** Adds the posted field `user` to the profile. Apple posts the name in this field, only at the first consent. */
function addPostedUser(profile: Profile, posted: string | undefined): Profile {
  // Posted data is not authenticated, so it never replaces a claim of the provider.
  if (!posted || "user" in profile) return profile
  try {
    const user: unknown = JSON.parse(posted)
    return isPlainObject(user) ? { ...profile, user } : profile
  } catch {
    return profile
  }
}

/** Added to the time limit of the exchange, so that a slow request times out first and its error names the URL. */
const GRACE_MS = 500

/**
 * Exchanges the code for tokens and returns the user's identity.
 *
 * @throws AuthError if the response, the tokens or the profile are not valid
 */
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
      `the sign-in was not finished within ${OUTBOUND_TIMEOUT_MS / 1000} s. The limit covers all requests to the provider and the functions in its options together`,
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
  const params = await validateResponse(call, flow, { as, provider, nowMs })
  const dpopKey = provider.usesDpop ? await createDpopKey() : undefined
  const dpop = dpopKey && (await provider.findDpopHandle(dpopKey))
  const redirect_uri = redirectUri(call, provider)
  const exchange = { as, provider, flow, redirectUri: redirect_uri, query: call.query, fetch, nowMs, dpop }
  const tokenResult = await exchangeCode(exchange, params)
  traceTokens(tokenResult, call.trace, nowMs)
  try {
    const identity = await identify(exchange, tokenResult, secrets)
    traceProfile(identity, call.trace)
    requireSameAccount(identity, flow)
    requireAcr(identity, flow)
    // Without a flow, it is unknown who started the sign-in, so the account is not linked to the current user.
    return { ...identity, ...(dpopKey && { dpopKey }), startedBy: flow ? flow.userId : null }
  } catch (error) {
    throw asAuthError(error) ?? maskTokens(error, tokenResult.tokens)
  }
}

/** @throws OAuthAccountNotLinked if the flow requires an account, and the user signed in with a different account */
function requireSameAccount({ account: { provider, providerAccountId } }: Identity, flow: Flow | undefined): void {
  if (flow?.accountId !== undefined && flow.accountId !== providerAccountId)
    throw new OAuthAccountNotLinked("the user granted access with another account than the one that is connected", {
      provider,
    })
}

/**
 * Checks the `acr` of a re-authentication (OpenID Connect Core §3.1.2.1), because providers may ignore `acr_values`.
 * `oauth4webapi` has already checked `auth_time`.
 *
 * @throws Error if the provider did not authenticate the user as requested
 */
function requireAcr({ authentication }: Identity, flow: Flow | undefined): void {
  const requested = (flow?.acrValues ?? "").split(" ").filter(Boolean)
  if (requested.length === 0 || requested.includes(authentication?.acr ?? "")) return
  throw new CodedError(
    "authentication-context-missing",
    "the id_token's acr is not one of the requested values, or trustAuthenticationContext is not set",
  )
}

/** Lists the token values to mask in errors, because the functions in a provider's options may put tokens into them. */
const tokenValues = ({ access_token, refresh_token, id_token }: TokenSet) => [access_token, refresh_token, id_token]

/** Returns a copy of an error. The copy has the same code, and the tokens in its texts are masked. */
function maskTokens(error: unknown, tokens: TokenSet): Error {
  const plain = sanitizeProviderError(error, tokenValues(tokens))
  const messageCode = readMessageCode(error)
  if (!messageCode) return plain
  const failure = new CodedError(messageCode, plain.message)
  failure.name = plain.name
  failure.stack = plain.stack ?? ""
  return failure
}

/**
 * Reads the profile and returns the user's identity.
 *
 * @throws AccessDenied if the provider's `isAllowed` returns false
 */
async function identify(
  exchange: Exchange,
  tokenResult: ExchangedTokens,
  secrets: readonly string[],
): Promise<Identity> {
  const { provider, query, fetch } = exchange
  const profile = addPostedUser(
    await readProfile(exchange, tokenResult),
    provider.usesFormPost ? query["user"] : undefined,
  )
  if (!(await provider.isAllowed(profile)))
    throw coded(
      "user-not-allowed",
      new AccessDenied("the provider's options do not allow this user", { provider: provider.id }),
    )
  const context = { tokens: tokenResult.tokens, provider, secrets, fetch, requestedScope: requestedScope(exchange) }
  const identity = await toIdentity(profile, context)
  return { ...identity, authentication: readAuthentication(tokenResult.claims ?? {}, exchange) }
}

/**
 * Wraps an error in an OAuthCallbackError with a code, and masks the secrets of the sign-in. For an error response of
 * the token endpoint, adds a hint.
 */
function asCallbackError(
  error: unknown,
  { provider, secrets }: TrackedSecrets,
  { call, flow }: { readonly call: AuthCall; readonly flow: Flow | undefined },
): OAuthCallbackError {
  const hint = error instanceof TokenRefusal ? refusalHint(error, redirectUri(call, provider)) : {}
  return coded(
    readMessageCode(error) ?? "provider-answer-invalid",
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

interface ProfileContext extends TrackedSecrets {
  readonly tokens: TokenSet
  readonly fetch: typeof globalThis.fetch
  readonly requestedScope: string | undefined
}

/**
 * Converts a profile to a user with the provider's `profile` function.
 *
 * @throws OAuthProfileParseError if the function throws or returns no valid id
 */
async function mapProfile(profile: Profile, context: ProfileContext): Promise<User & { id: string }> {
  const { tokens, provider, secrets, fetch } = context
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

/**
 * True if the user's address equals the claim `email`. `email_verified` applies to no other address. Also true if the
 * profile has no claim `email`: then `provider.isEmailVerified` alone decides whether the address is verified.
 */
const equalsEmailClaim = (email: unknown, { email: claim }: Profile): boolean =>
  typeof claim !== "string" || lowerCase(String(email)) === lowerCase(claim)

async function toIdentity(profile: Profile, context: ProfileContext): Promise<Identity> {
  const { tokens, provider, requestedScope } = context
  const mapped = await mapProfile(profile, context)
  // Leave out a `userId` of the token response: as a member of `account`, it would set the owner of the account.
  const { userId: _, ...accountTokens } = tokens
  const account: Account = {
    ...accountTokens,
    provider: provider.id,
    type: provider.type,
    providerAccountId: mapped.id,
  }
  const { email, ...rest } = mapped
  // Auth.js compatibility: the address is a non-empty string or absent. Some profiles contain null or "". If "" were
  // stored, several users would have the same address.
  const address = typeof email === "string" && email !== "" ? { email: lowerCase(email) } : {}
  const user: User = { ...rest, id: randomUUID(), ...address }
  return {
    user,
    account,
    profile,
    tokensToStore: () => provider.account(tokens) ?? {},
    ...(requestedScope !== undefined && { requestedScope }),
    isEmailVerified: provider.isEmailVerified(profile) && equalsEmailClaim(email, profile),
    allowsEmailLinking: provider.allowsEmailLinking,
  }
}

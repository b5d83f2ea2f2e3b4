import { randomUUID } from "node:crypto"
import * as oauth from "oauth4webapi"
import { coded, Fault } from "../../error-codes.js"
import { AccessDenied, asAuthError, InvalidCheck, OAuthCallbackError, OAuthProfileParseError } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import { foreignCookieHint, missingCookieHint } from "../../http/cookie-hints.js"
import { isPlainObject } from "../../merge.js"
import type { Runtime } from "../../runtime.js"
import { OUTBOUND_TIMEOUT_MS } from "../../security/outbound.js"
import { takeAttempt } from "../../security/sealed-attempts.js"
import { requireUserId } from "../../security/user-id.js"
import { withTimeout } from "../../timeout.js"
import type { Account, Profile, TokenSet, User } from "../../types.js"
import type { Attempt, Identity } from "../method.js"
import { hintFor, plainError, refusal } from "./fault.js"
import { dropFlow, type Flow, findFlow, hasFlowCookie } from "./flow.js"
import { withPostedParams } from "./form-post.js"
import { type NotedSecret, noteSecret } from "./noted-secret.js"
import { requireOnce } from "./once.js"
import type { ReadyOAuth } from "./prepare.js"
import { redirectUriOf } from "./proxy.js"
import { reasonOf } from "./reason.js"
import { tellingFetch, tellProfile, tellReturn, tellTokens } from "./tell.js"
import { type Exchange, type ExchangedTokens, exchangeCode, TokenRefusal } from "./token-request.js"
import { readProfile } from "./userinfo.js"

/** The call with the provider's answer as its query, however it was sent. */
const withAnswer = (call: AuthCall, provider: ReadyOAuth, runtime: Runtime): AuthCall =>
  provider.usesFormPost ? withPostedParams(call, provider, runtime) : call

export function resumeOAuth(received: AuthCall, provider: ReadyOAuth, runtime: Runtime): Attempt {
  const call = withAnswer(received, provider, runtime)
  const found = findFlow(call, provider, runtime)
  tellReturn(received, call, found?.flow)
  return { ...(found && { callbackUrl: found.flow.callbackUrl }), cookies: dropFlow(call, provider) }
}

function lostFlowHint(call: AuthCall, provider: ReadyOAuth): { hint?: string } {
  const hint = hasFlowCookie(call, provider) ? foreignCookieHint("state") : missingCookieHint(call)
  return hint === undefined ? {} : { hint }
}

/** The flow that the answer belongs to, which may be used once. */
async function requireFlow(call: AuthCall, provider: ReadyOAuth, runtime: Runtime): Promise<Flow | undefined> {
  const found = findFlow(call, provider, runtime)
  if (!found) {
    if (provider.checks.size === 0) return undefined
    const [check = "state"] = provider.checks
    throw new InvalidCheck(
      `${check === "pkce" ? "pkceCodeVerifier" : check} could not be checked: this browser has no such sign-in under way. It was finished already, is older than 15 minutes, or its cookies are blocked`,
      { provider: provider.id, ...lostFlowHint(call, provider) },
    )
  }
  if (!(await takeAttempt(found, runtime)))
    throw coded("flow-finished", new InvalidCheck("the sign-in was finished already", { provider: provider.id }))
  return found.flow
}

/** The answer's parameters, validated (RFC 6749 §4.1.2, RFC 9207 §2.4). */
function requireCode(
  call: AuthCall,
  flow: Flow | undefined,
  as: oauth.AuthorizationServer,
  provider: ReadyOAuth,
): URLSearchParams {
  requireOnce(call, provider)
  const { form_post: _, ...answer } = call.query
  const params = new URLSearchParams(answer)
  // Who the issuer is can't be compared where the provider's definition does not say it.
  if (!provider.issuer) params.delete("iss")
  if (params.has("error") && (!params.has("iss") || params.get("iss") === as.issuer))
    throw refusal(call.query, {
      provider: provider.id,
      redirectUri: redirectUriOf(call, provider),
      nonce: flow?.nonce,
    })
  return oauth.validateAuthResponse(as, provider.client, params, flow?.state ?? oauth.skipStateCheck)
}

/** Apple posts the name beside the code, once, at the first consent. */
function withPostedUser(profile: Profile, posted: string | undefined): Profile {
  // What the browser posts is nobody's word: it never replaces what the provider said.
  if (!posted || "user" in profile) return profile
  try {
    const user: unknown = JSON.parse(posted)
    return isPlainObject(user) ? { ...profile, user } : profile
  } catch {
    return profile
  }
}

/** What the provider's functions take beside the calls, so that a call that is late can say itself which it was. */
const GRACE_MS = 500

/** Proves who came back from the provider. */
export async function finishOAuth(received: AuthCall, provider: ReadyOAuth, runtime: Runtime): Promise<Identity> {
  const call = withAnswer(received, provider, runtime)
  const flow = await requireFlow(call, provider, runtime)
  const noted = noteSecret(provider)
  try {
    return await withTimeout(
      proveIdentity(call, flow, { ...noted, nowMs: runtime.now() }),
      OUTBOUND_TIMEOUT_MS + GRACE_MS,
      `the sign-in was not finished within ${OUTBOUND_TIMEOUT_MS / 1000} s, all calls and the provider's own functions together`,
    )
  } catch (error) {
    throw asAuthError(error) ?? asCallbackError(error, noted, { call, flow })
  }
}

async function proveIdentity(
  call: AuthCall,
  flow: Flow | undefined,
  { provider, secrets, nowMs }: NotedSecret & { readonly nowMs: number },
): Promise<Identity> {
  const fetch = tellingFetch(provider.fetchFor(AbortSignal.timeout(OUTBOUND_TIMEOUT_MS)), call.story)
  const as = await provider.metadata.get()
  const params = requireCode(call, flow, as, provider)
  const exchange = { as, provider, flow, redirectUri: redirectUriOf(call, provider), query: call.query, fetch, nowMs }
  const exchanged = await exchangeCode(exchange, params)
  tellTokens(exchanged, call.story, nowMs)
  try {
    const identity = await identify(exchange, exchanged, secrets)
    tellProfile(identity, call.story)
    // Without checks an answer that nobody here asked for signs in; whoever is signed in has not begun it.
    return { ...identity, begunBy: flow ? flow.userId : null }
  } catch (error) {
    throw asAuthError(error) ?? withoutTokens(error, exchanged.tokens)
  }
}

/** The tokens themselves, which an error of a provider's own function may name. */
const valuesOf = ({ access_token, refresh_token, id_token }: TokenSet) => [access_token, refresh_token, id_token]

/** An error of a call with the tokens, without them; its reason stays known. */
function withoutTokens(error: unknown, tokens: TokenSet): Error {
  const plain = plainError(error, valuesOf(tokens))
  const { name, message, stack = "" } = plain
  const reason = reasonOf(error)
  return reason ? Object.assign(new Fault(reason, message), { name, stack }) : plain
}

/** Whose tokens these are. */
async function identify(exchange: Exchange, exchanged: ExchangedTokens, secrets: readonly string[]): Promise<Identity> {
  const { provider, query, fetch } = exchange
  const profile = withPostedUser(
    await readProfile(exchange, exchanged),
    provider.usesFormPost ? query["user"] : undefined,
  )
  if (!(await provider.isAllowed(profile)))
    throw coded(
      "person-not-allowed",
      new AccessDenied("the provider's options do not let this person in", { provider: provider.id }),
    )
  return toIdentity(profile, { tokens: exchanged.tokens, provider, secrets, fetch })
}

function asCallbackError(
  error: unknown,
  { provider, secrets }: NotedSecret,
  { call, flow }: { readonly call: AuthCall; readonly flow: Flow | undefined },
): OAuthCallbackError {
  const hint = error instanceof TokenRefusal ? hintFor(error, redirectUriOf(call, provider)) : {}
  return coded(
    reasonOf(error) ?? "provider-answer-invalid",
    new OAuthCallbackError("the provider's answer can't be used", {
      provider: provider.id,
      err: plainError(error, [call.query["code"], flow?.state, flow?.verifier, flow?.nonce, ...secrets]),
      ...hint,
    }),
  )
}

interface Mapping extends NotedSecret {
  readonly tokens: TokenSet
  readonly fetch: typeof globalThis.fetch
}

/** The user that the provider's `profile` function makes of a profile. */
async function mapProfile(profile: Profile, mapping: Mapping): Promise<User & { id: string }> {
  const { tokens, provider, secrets, fetch } = mapping
  try {
    const user = await provider.profile(profile, tokens, { tokens, provider: provider.view, fetch })
    return { ...user, id: requireUserId(user?.id, "profile()", profile) }
  } catch (error) {
    throw new OAuthProfileParseError("the provider's profile can't be turned into a user", {
      provider: provider.id,
      err: plainError(error, [...valuesOf(tokens), ...secrets]),
      // Names only: the values are a person's.
      members: Object.keys(profile),
    })
  }
}

/**
 * An address in small letters. A letter that is not another one's capital stays: the Kelvin sign in small letters is an
 * ASCII "k", and the address would be somebody else's.
 */
const lowerCase = (email: string): string =>
  email.replace(/\p{L}/gu, (letter) => {
    const small = letter.toLowerCase()
    return small.toUpperCase() === letter ? small : letter
  })

/** The provider speaks of its own claim: a name to sign in with, taken for an address, is not proved by that. */
const isOwnAddress = (email: unknown, { email: claim }: Profile): boolean =>
  typeof claim !== "string" || lowerCase(String(email)) === lowerCase(claim)

async function toIdentity(profile: Profile, mapping: Mapping): Promise<Identity> {
  const { tokens, provider } = mapping
  const mapped = await mapProfile(profile, mapping)
  // Whose account it is here is not the provider's to say.
  const { userId: _, ...answered } = tokens
  const account: Account = { ...answered, provider: provider.id, type: provider.type, providerAccountId: mapped.id }
  const { email, ...rest } = mapped
  // As in the contract an address is text or not there. Some profiles say null, others "", which would be one address of many.
  const address = typeof email === "string" && email !== "" ? { email: lowerCase(email) } : {}
  const user: User = { ...rest, id: randomUUID(), ...address }
  return {
    user,
    account,
    profile,
    keptTokens: () => provider.account(tokens) ?? {},
    isEmailVerified: provider.isEmailVerified(profile) && isOwnAddress(email, profile),
    allowsEmailLinking: provider.allowsEmailLinking,
  }
}

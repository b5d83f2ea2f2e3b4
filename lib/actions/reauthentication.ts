/**
 * Finds the ways in which the current user can re-authenticate, and requires a recent authentication for changes on the
 * pages of this package.
 *
 * @module
 */
import { currentUser } from "../accounts/current-user.js"
import type { AdapterUser } from "../adapters/adapter.js"
import type { SessionAuthentication } from "../base/types.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect } from "../http/reply.js"
import type { CurrentUser, ReadyProvider, Reauthentication } from "../methods/method.js"
import { SECOND_FACTOR } from "../second-factor/second-factor.js"
import { pageUrl } from "../security/redirects.js"
import {
  findShortfalls,
  type RequiredAuthentication,
  type Shortfall,
  toQuery,
} from "../sessions/required-authentication.js"
import type { ActionRuntime } from "./action.js"

/** A provider that the page for re-authentication offers. */
export interface ReauthenticationProvider {
  readonly id: string
  /** False if it is unknown whether the user can use this provider, for example whether the user has a password. */
  readonly isCertain: boolean
  /** The query parameters in the URL of the provider's form. */
  readonly params: Readonly<Record<string, string>>
}

/** What the page for re-authentication offers to the current user. */
export interface ReauthenticationChoices {
  readonly providers: readonly ReauthenticationProvider[]
  /** The user's email address in the adapter; undefined if the adapter has none. */
  readonly email: string | undefined
  /** The URL of the page for the second factor; undefined if the second factor is not useful or not available. */
  readonly secondFactorUrl: string | undefined
}

/** Returns the current user as stored in the adapter; null without an adapter, or if the adapter lacks the user. */
async function findCurrentUser(call: AuthCall, runtime: ActionRuntime): Promise<AdapterUser | null> {
  const { adapter, sessions } = runtime
  const { getUser } = adapter ?? {}
  if (!getUser) return null
  return currentUser({ adapter: { getUser }, currentId: () => sessions.currentUserId(call), runtime })
}

/**
 * True if there are no shortfalls, or if an authentication with these `amr` values can remove at least one of them.
 * Every new authentication removes the shortfall `maxAgeSeconds`. With "any", the provider determines the values, so
 * the result is true.
 */
function reducesShortfalls(
  amr: readonly string[] | "any",
  shortfalls: readonly Shortfall[],
  required: RequiredAuthentication,
): boolean {
  if (amr === "any" || shortfalls.length === 0 || shortfalls.includes("maxAgeSeconds")) return true
  return (
    (shortfalls.includes("factors") && amr.includes("mfa")) ||
    (shortfalls.includes("amr") && amr.some((method) => required.amr?.includes(method)))
  )
}

interface StepUp {
  readonly required: RequiredAuthentication
  /** How the user of the session was authenticated; undefined if it is unknown. */
  readonly authentication: SessionAuthentication | undefined
}

/**
 * Finds the providers and the page of the second factor with which the current user can re-authenticate. If the session
 * has shortfalls, omits the choices that can't remove any of them.
 */
export async function findReauthenticationChoices(
  { required, authentication }: StepUp,
  call: AuthCall,
  runtime: ActionRuntime,
): Promise<ReauthenticationChoices> {
  const stored = await findCurrentUser(call, runtime)
  const accounts = stored ? await runtime.adapter?.listAccountsByUserId?.(stored.id) : undefined
  const user: CurrentUser = {
    authentication,
    stored,
    accountProviders: (accounts ?? []).map(({ provider }) => provider),
  }
  const shortfalls = findShortfalls(authentication, required, runtime.now())
  const toReauthenticationProviders = async ([id, { method, provider }]: readonly [string, ProviderEntry]) => {
    const { reauthentication } = method
    if (!reauthentication || !reducesShortfalls(reauthentication.amr(provider), shortfalls, required)) return []
    const isPossible = await reauthentication.isPossible(user, provider, runtime)
    if (!isPossible) return []
    return [{ id, isCertain: isPossible === true, params: reauthentication.params?.(required, provider) ?? {} }]
  }
  const found = await Promise.all([...runtime.providers].map(toReauthenticationProviders))
  const isCodeUseful = reducesShortfalls(["otp", "mfa"], shortfalls, required)
  const secondFactorUrl = isCodeUseful
    ? await findSecondFactorUrl({ required, authentication }, call, runtime)
    : undefined
  return { providers: found.flat(), email: stored?.email || undefined, secondFactorUrl }
}

/**
 * Returns the URL of the second-factor page: to enter a code if the user has an authenticator app, or to set up an app
 * if two factors are required. Returns undefined in all other cases.
 */
async function findSecondFactorUrl(
  { required, authentication }: StepUp,
  call: AuthCall,
  { secondFactor }: ActionRuntime,
): Promise<string | undefined> {
  if (!secondFactor || !authentication) return undefined
  const isEnrolled = await secondFactor.isEnrolled(authentication.owner)
  if (!isEnrolled && required.factors === undefined) return undefined
  const purpose = isEnrolled ? { reauthenticate: "true" } : { setup: "true" }
  return pageUrl(`${call.base}/${SECOND_FACTOR}`, call.origin, { callbackUrl: call.callbackUrl, ...purpose })
}

interface ProviderEntry {
  readonly method: { readonly reauthentication?: Reauthentication }
  readonly provider: ReadyProvider
}

/** The authentication that a change of sign-in methods or sessions requires (ASVS 7.5.1). */
export const RECENT_AUTHENTICATION: RequiredAuthentication = { maxAgeSeconds: 600 }

/** Returns the URL of the page on which the current user re-authenticates. */
export const reauthenticationUrl = (
  { base, origin }: Pick<AuthCall, "base" | "origin">,
  required: RequiredAuthentication,
  params: { readonly callbackUrl: string | undefined; readonly error?: string | undefined },
): string => pageUrl(`${base}/reauthenticate`, origin, { ...params, ...toQuery(required) })

/**
 * Returns a redirect to the page on which the current user re-authenticates, if the session does not meet `required`.
 * By default, the last authentication must not be older than ten minutes. After a POST or a callback, the page also
 * states that nothing was changed.
 *
 * Returns undefined if the authentication suffices, and if sessions do not record their authentication. Also returns
 * undefined if it is not certain that the user can re-authenticate, because the redirect could then lock the user out.
 * An example is a user whose only account is at an OAuth 2 provider.
 *
 * @param options `callbackUrl`: the page to which the user returns. `required`: what the session must meet
 */
export async function requireRecentAuthentication(
  call: AuthCall,
  runtime: ActionRuntime,
  {
    callbackUrl = `${call.base}/${call.action}`,
    required = RECENT_AUTHENTICATION,
  }: { readonly callbackUrl?: string; readonly required?: RequiredAuthentication } = {},
): Promise<Reply | undefined> {
  const { sessions, now } = runtime
  if (!sessions.recordsAuthentication) return undefined
  const authentication = await sessions.authentication(call)
  if (findShortfalls(authentication, required, now()).length === 0) return undefined
  const { providers, secondFactorUrl } = await findReauthenticationChoices({ required, authentication }, call, runtime)
  if (!secondFactorUrl && !providers.some(({ isCertain }) => isCertain)) return undefined
  const isChange = call.method === "POST" || call.action === "callback"
  const error = isChange ? "ConfirmationRequired" : undefined
  return redirect(reauthenticationUrl(call, required, { callbackUrl, error }))
}

/**
 * How the current user can prove again who they are, and the demand of this package's own pages for that.
 *
 * @module
 */
import { currentUser } from "../accounts/current-user.js"
import type { AdapterUser } from "../adapters/adapter.js"
import type { SessionOrigin } from "../base/types.js"
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

/** A provider with which the current user can prove who they are. */
export interface ConfirmingProvider {
  readonly id: string
  /** False if the user may lack what this provider asks for, such as a password. */
  readonly isCertain: boolean
  /** The query parameters of its form's URL. */
  readonly params: Readonly<Record<string, string>>
}

/** How the current user can prove again who they are. */
export interface Confirmations {
  readonly providers: readonly ConfirmingProvider[]
  /** The user's email address, if it is in the adapter. */
  readonly email: string | undefined
  /** The URL of the page for the second factor; undefined if that does not help. */
  readonly secondFactorUrl: string | undefined
}

/** The adapter's user; null without an adapter, and for a user whom only the application knows. */
async function findStored(call: AuthCall, runtime: ActionRuntime): Promise<AdapterUser | null> {
  const { adapter, sessions } = runtime
  const { getUser } = adapter ?? {}
  if (!getUser) return null
  return currentUser({ adapter: { getUser }, currentId: () => sessions.currentUserId(call), runtime })
}

/** True if a provider can add something that the session lacks. Without a shortfall every provider can. */
function helps(
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

interface Requirement {
  readonly required: RequiredAuthentication
  readonly origin: SessionOrigin | undefined
}

/** Finds how the current user can prove who they are, as far as it adds what the session lacks. */
export async function findConfirmations(
  { required, origin }: Requirement,
  call: AuthCall,
  runtime: ActionRuntime,
): Promise<Confirmations> {
  const stored = await findStored(call, runtime)
  const accounts = stored ? await runtime.adapter?.listAccountsByUserId?.(stored.id) : undefined
  const user: CurrentUser = { origin, stored, accountProviders: (accounts ?? []).map(({ provider }) => provider) }
  const shortfalls = findShortfalls(origin, required, runtime.now())
  const toConfirming = async ([id, { method, provider }]: readonly [string, ProviderEntry]) => {
    const { reauthentication } = method
    if (!reauthentication || !helps(reauthentication.amr(provider), shortfalls, required)) return []
    const isPossible = await reauthentication.isPossible(user, provider, runtime)
    if (!isPossible) return []
    return [{ id, isCertain: isPossible === true, params: reauthentication.params?.(required, provider) ?? {} }]
  }
  const found = await Promise.all([...runtime.providers].map(toConfirming))
  const isHelpful = helps(["otp", "mfa"], shortfalls, required)
  const secondFactorUrl = isHelpful ? await findSecondFactorUrl({ required, origin }, call, runtime) : undefined
  return { providers: found.flat(), email: stored?.email || undefined, secondFactorUrl }
}

/** The page on which the user enters a code, or sets the second factor up if a page requires it. */
async function findSecondFactorUrl(
  { required, origin }: Requirement,
  call: AuthCall,
  { secondFactor }: ActionRuntime,
): Promise<string | undefined> {
  if (!secondFactor || !origin) return undefined
  const isEnrolled = await secondFactor.isEnrolled(origin.owner)
  if (!isEnrolled && required.factors === undefined) return undefined
  const purpose = isEnrolled ? { reauthenticate: "true" } : { setup: "true" }
  return pageUrl(`${call.base}/${SECOND_FACTOR}`, call.origin, { callbackUrl: call.callbackUrl, ...purpose })
}

interface ProviderEntry {
  readonly method: { readonly reauthentication?: Reauthentication }
  readonly provider: ReadyProvider
}

/** What changes of sign-in methods and sessions require (ASVS 7.5.1). */
export const RECENT: RequiredAuthentication = { maxAgeSeconds: 600 }

/** The URL of the page on which the current user confirms who they are. */
export const reauthenticationUrl = (
  { base, origin }: Pick<AuthCall, "base" | "origin">,
  required: RequiredAuthentication,
  params: { readonly callbackUrl: string | undefined; readonly error?: string | undefined },
): string => pageUrl(`${base}/reauthenticate`, origin, { ...params, ...toQuery(required) })

/**
 * Redirects to the page on which the current user confirms who they are, if the last authentication is older than ten
 * minutes, or does not meet `required`. If the user has sent a change, that page states that nothing was changed.
 *
 * Undefined if the authentication is recent, and if it is not certain that the user has a way to confirm it, for example
 * with an account of an OAuth 2 provider only: the demand could lock the user out.
 *
 * @param options `callbackUrl`: the page to which the user returns
 */
export async function requireRecentAuthentication(
  call: AuthCall,
  runtime: ActionRuntime,
  {
    callbackUrl = `${call.base}/${call.action}`,
    required = RECENT,
  }: { readonly callbackUrl?: string; readonly required?: RequiredAuthentication } = {},
): Promise<Reply | undefined> {
  const { sessions, now } = runtime
  if (!sessions.keepsOrigin) return undefined
  const origin = await sessions.origin(call)
  if (findShortfalls(origin, required, now()).length === 0) return undefined
  const { providers, secondFactorUrl } = await findConfirmations({ required, origin }, call, runtime)
  if (!secondFactorUrl && !providers.some(({ isCertain }) => isCertain)) return undefined
  const hasSentChange = call.method === "POST" || call.action === "callback"
  const error = hasSentChange ? "ConfirmationRequired" : undefined
  return redirect(reauthenticationUrl(call, required, { callbackUrl, error }))
}

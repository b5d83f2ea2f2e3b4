/**
 * Stores pending sign-ins until the user has met a requirement, such as the second factor. Only the browser's cookie
 * contains the key, so no other browser can continue the sign-in.
 *
 * @module
 */

import type { Account, CookieChange, PendingSignIn, TokenSet, User } from "../base/types.js"
import { asError, CallbackRouteError } from "../errors/errors.js"
import { PENDING_SIGN_IN_MAX_AGE_SECONDS } from "../http/cookies.js"
import { openOrEmpty, seal } from "../security/jwe.js"
import { randomText, sha256Base64url } from "../security/tokens.js"
import type { SessionCookies } from "../sessions/session.js"
import type { Store, StoreRecord } from "../store/store.js"
import type { AccountRuntime } from "./account-runtime.js"
import type { Identity } from "./identity.js"

const KIND = "pending-sign-in"
const PURPOSE = "latchkey.pending-sign-in"

/** A pending sign-in. The store keeps all members except `key`, as encrypted JSON. */
export interface StoredSignIn {
  readonly identity: Identity
  /** The name of the open requirement. */
  readonly requirement: string
  /** The id of the user who signs in; undefined for a new user. */
  readonly userId?: string | undefined
  /** The data of the completed requirements, by name. */
  readonly completed: Readonly<Record<string, unknown>>
  readonly callbackUrl: string
  /** True if the user has chosen to stay signed in. */
  readonly remember: boolean
  /** True if the current user re-authenticates. */
  readonly isReauthentication?: boolean | undefined
  /** See `SignInCandidate.isFirstVerification`. */
  readonly isFirstVerification?: boolean | undefined
  /**
   * Set only if the application signs in a user by itself (see `TrustedUser`). The application then passed this account
   * and `identity.user`.
   */
  readonly trusted?: { readonly account?: Account | undefined } | undefined
  /** When the sign-in expires, in milliseconds since 1970. */
  readonly expiresAt: number
  /** The secret key in the browser's cookie. */
  readonly key: string
}

/** Returns the first values of a pending sign-in: no completed requirements, the expiry and a new random key. */
export const initialPendingValues = ({
  now,
}: AccountRuntime): Pick<StoredSignIn, "completed" | "expiresAt" | "key"> => ({
  completed: {},
  expiresAt: now() + PENDING_SIGN_IN_MAX_AGE_SECONDS * 1000,
  key: randomText(),
})

/** Returns when the sign-in began, in milliseconds since 1970. */
export const readStart = ({ expiresAt }: Pick<StoredSignIn, "expiresAt">): number =>
  expiresAt - PENDING_SIGN_IN_MAX_AGE_SECONDS * 1000

/** Returns the store, which exists: the configuration check rejects requirements without a store. */
const requireStore = ({ store }: AccountRuntime): Store => store as Store

/**
 * Converts an identity to data for JSON. Omits the submitted credentials, such as a password. Also omits the user
 * record `owner`, which is read again when the sign-in continues. If there is an owner, keeps only the default members
 * of `user`.
 */
function toData({ credentials: _, owner, tokensToStore, ...identity }: Identity) {
  const { user } = identity
  const { id, name, email, image } = user
  return { identity: { ...identity, user: owner ? { id, name, email, image } : user }, tokens: tokensToStore?.() }
}

function toJson(pending: StoredSignIn): Record<string, unknown> {
  const { key: _, identity, ...others } = pending
  try {
    return JSON.parse(JSON.stringify({ ...others, ...toData(identity) }))
  } catch (error) {
    const facts = { err: asError(error), provider: identity.account.provider }
    throw new CallbackRouteError(
      "the pending sign-in can't be stored as JSON: check the user, and the data of completed requirements",
      facts,
    )
  }
}

/** Converts `emailVerified` from text back to a date. Other dates in the user stay text, because they are not used. */
function reviveUser(user: User): User {
  const { emailVerified } = user as { emailVerified?: unknown }
  return typeof emailVerified === "string" ? { ...user, ...{ emailVerified: new Date(emailVerified) } } : user
}

/** Stores a sign-in. Returns the change that sets the browser's cookie with the key. */
export async function storePendingSignIn(pending: StoredSignIn, runtime: AccountRuntime): Promise<CookieChange> {
  const { keys, now } = runtime
  const seconds = Math.ceil((pending.expiresAt - now()) / 1000)
  const value = seal(toJson(pending), keys.for(PURPOSE), seconds, now())
  const expires = new Date(pending.expiresAt)
  await requireStore(runtime).set(KIND, sha256Base64url(pending.key), { value, expires })
  return { put: "pendingSignIn", value: pending.key, expires, maxAgeSeconds: seconds }
}

type Browser = Pick<SessionCookies, "cookies" | "cookieSet">

/** The change that clears the browser's cookie with the key. */
export const DROP_KEY: CookieChange = { drop: "pendingSignIn" }

/** A pending sign-in of a browser, and its record in the store. */
export interface FoundSignIn {
  readonly pending: StoredSignIn
  readonly record: StoreRecord
}

/** Finds the pending sign-in of a browser; undefined if there is none, or if it has expired. */
export async function findPendingSignIn(
  { cookies, cookieSet }: Browser,
  runtime: AccountRuntime,
): Promise<FoundSignIn | undefined> {
  // Without requirements there may be no store.
  const key = runtime.requirements.length > 0 ? cookies[cookieSet.pendingSignIn.name] : undefined
  const record = key ? await requireStore(runtime).get(KIND, sha256Base64url(key)) : null
  if (!key || !record) return undefined
  const { identity, tokens, ...others } = openOrEmpty(record.value, runtime.keys.for(PURPOSE), runtime.now())
  // Only this module seals for this purpose, so the shape is known.
  const stored = others as unknown as Omit<StoredSignIn, "identity" | "key">
  if (!identity || stored.expiresAt <= runtime.now()) return undefined
  const { user, ...rest } = identity as Identity
  const tokensToStore = tokens ? { tokensToStore: () => tokens as TokenSet } : {}
  return { pending: { ...stored, key, identity: { ...rest, user: reviveUser(user), ...tokensToStore } }, record }
}

/** Removes a pending sign-in. Returns true for only one of several concurrent calls. */
export const takePendingSignIn = (
  { record: { key, version } }: FoundSignIn,
  runtime: AccountRuntime,
): Promise<boolean> => requireStore(runtime).delete(KIND, key, version)

/** Stores a removed sign-in again, so that the user can repeat a step that failed for a temporary reason. */
export async function restorePendingSignIn({ record }: FoundSignIn, runtime: AccountRuntime): Promise<void> {
  const { key, value, expires } = record
  try {
    await requireStore(runtime).set(KIND, key, { value, expires, ifVersion: null })
  } catch (error) {
    runtime.logger.error(asError(error))
  }
}

/** Returns a browser's pending sign-in in the form that the requirement's page receives; null if there is none. */
export async function readPendingSignIn(
  browser: Browser,
  base: string,
  runtime: AccountRuntime,
): Promise<PendingSignIn | null> {
  const found = await findPendingSignIn(browser, runtime)
  if (!found) return null
  const { identity, requirement, userId } = found.pending
  const { provider, type } = identity.account
  const { id: _, ...user } = identity.user
  const rule = runtime.requirements.find(({ name }) => name === requirement)
  return {
    requirement,
    // `rule` is undefined only if the configuration has changed. The user then starts again on the sign-in page.
    page: rule?.page({ base }) ?? `${base}/signin`,
    user: userId === undefined ? user : { ...user, id: userId },
    isNewUser: userId === undefined,
    account: { provider, type },
    cancelUrl: `${base}/signin?cancel=1`,
  }
}

/** Removes the pending sign-in of a browser. Returns the change that clears its cookie. */
export async function cancelPendingSignIn(browser: Browser, runtime: AccountRuntime): Promise<readonly CookieChange[]> {
  if (runtime.requirements.length === 0) return []
  const found = await findPendingSignIn(browser, runtime)
  if (found) await takePendingSignIn(found, runtime)
  return [DROP_KEY]
}

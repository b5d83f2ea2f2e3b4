/**
 * Converts the tokens of an account to the form in which the store keeps them.
 *
 * @module
 */
import { decodeJwt } from "jose/jwt/decode"
import type { PrivateJwk } from "../base/private-jwk.js"
import type { Account } from "../base/types.js"
import type { StoredTokens } from "./token-records.js"

/** Facts about the tokens of a sign-in that the account does not contain. */
export interface TokenContext {
  /** The requested scopes, which apply if the provider does not return the granted scopes. */
  readonly scope?: string | undefined
  /** `sub` of the id_token. */
  readonly subject?: string | undefined
  /** The key to which the tokens are bound (RFC 9449). */
  readonly dpopKey?: PrivateJwk | undefined
}

/** Returns the previous refresh token, unless it was rejected or may be bound to another key (RFC 9449 §5). */
const findEarlierRefreshToken = (previous: StoredTokens | undefined, { dpopKey }: TokenContext): string | undefined =>
  previous && !previous.isRevoked && previous.dpopKey?.x === dpopKey?.x ? previous.refreshToken : undefined

/**
 * Returns the tokens to store after a sign-in. Some providers return a refresh token only at the first consent, so the
 * previous refresh token is kept if there is no new one.
 */
export function tokensFromSignIn(
  account: Account,
  context: TokenContext,
  previous: StoredTokens | undefined,
  now: number,
): StoredTokens {
  const { subject, scope: requested, dpopKey } = context
  const { provider, providerAccountId, access_token = "", token_type, refresh_token, expires_at, scope } = account
  return {
    provider,
    providerAccountId,
    subject,
    accessToken: access_token,
    tokenType: token_type,
    refreshToken: refresh_token ?? findEarlierRefreshToken(previous, context),
    // GitHub Apps return an empty scope, because they use permissions instead of scopes.
    scope: scope || requested,
    requestedScope: requested,
    requestedAt: now,
    dpopKey,
    issuedAt: now,
    expiresAt: expires_at === undefined ? undefined : expires_at * 1000,
  }
}

/** Reads `sub` of a stored id_token, which was validated before. Undefined if it can't be decoded. */
function readSubject(idToken: string | undefined): string | undefined {
  if (!idToken) return undefined
  try {
    return decodeJwt(idToken).sub
  } catch {
    return undefined
  }
}

/** Removes members that are null. Adapters return null for an empty column, although the type does not allow it. */
const withoutNulls = (account: Account): Account =>
  // The cast is safe, because required members are never null.
  Object.fromEntries(Object.entries(account).filter(([, value]) => value !== null)) as Account

/** Returns the tokens that an adapter stored with an account; undefined if there is no access and no refresh token. */
export function tokensFromAdapter(account: Account, now: number): StoredTokens | undefined {
  const { access_token, refresh_token, id_token, ...others } = withoutNulls(account)
  if (!access_token && !refresh_token) return undefined
  const tokens = { ...others, ...(access_token && { access_token }), ...(refresh_token && { refresh_token }) }
  const stored = tokensFromSignIn(tokens, { subject: readSubject(id_token) }, undefined, now)
  // If an adapter has stored an `expires_at` that is not a number, the expiry is left out. Without an access token, the
  // expiry is in the past, so that the first call requests a token.
  return { ...stored, requestedAt: undefined, expiresAt: access_token ? stored.expiresAt || undefined : 0 }
}

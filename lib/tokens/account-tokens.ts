/**
 * Converts the tokens in an account to those that the store keeps.
 *
 * @module
 */
import { decodeJwt } from "jose/jwt/decode"
import type { PrivateJwk } from "../base/private-jwk.js"
import type { Account } from "../base/types.js"
import type { StoredTokens } from "./token-records.js"

/** What a sign-in knows besides the token response. */
export interface TokenContext {
  /** The requested scopes, which apply if the provider does not return the granted ones. */
  readonly scope?: string | undefined
  /** `sub` of the id_token. */
  readonly subject?: string | undefined
  /** The key to which the tokens are bound. */
  readonly dpopKey?: PrivateJwk | undefined
}

/** Returns the refresh token of the previous sign-in, unless it may be bound to another key (RFC 9449 §5). */
const findEarlierRefreshToken = (previous: StoredTokens | undefined, { dpopKey }: TokenContext): string | undefined =>
  previous && !previous.isRevoked && previous.dpopKey?.x === dpopKey?.x ? previous.refreshToken : undefined

/** The tokens of a sign-in. Some providers return a refresh token only at the first consent, so an earlier one is kept. */
export function fromSignIn(
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
    // GitHub Apps return an empty scope, because they have permissions instead.
    scope: scope || requested,
    requestedScope: requested,
    askedAt: now,
    dpopKey,
    issuedAt: now,
    expiresAt: expires_at === undefined ? undefined : expires_at * 1000,
  }
}

/** `sub` of an id_token that was validated when it was stored; undefined if it can't be read. */
function readSubject(idToken: string | undefined): string | undefined {
  if (!idToken) return undefined
  try {
    return decodeJwt(idToken).sub
  } catch {
    return undefined
  }
}

/** A column without a value contains null, although the type of Auth.js does not allow it. */
const withoutNulls = (account: Account): Account =>
  // Removing members that are null leaves the required ones, which are never null.
  Object.fromEntries(Object.entries(account).filter(([, value]) => value !== null)) as Account

/** The tokens that an adapter stored with an account; undefined if they include neither an access nor a refresh token. */
export function fromAdapter(account: Account, now: number): StoredTokens | undefined {
  const { access_token, refresh_token, id_token, ...others } = withoutNulls(account)
  if (!access_token && !refresh_token) return undefined
  const tokens = { ...others, ...(access_token && { access_token }), ...(refresh_token && { refresh_token }) }
  const stored = fromSignIn(tokens, { subject: readSubject(id_token) }, undefined, now)
  // Without an access token, the first call requests one.
  return { ...stored, askedAt: undefined, expiresAt: access_token ? readExpiry(stored) : 0 }
}

/** Some databases return a 64-bit integer as text. */
const readExpiry = ({ expiresAt }: StoredTokens): number | undefined => (expiresAt ? Number(expiresAt) : undefined)

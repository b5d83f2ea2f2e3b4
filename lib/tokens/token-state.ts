/**
 * Pure functions that decide whether the tokens of an account can be used, and when they are renewed.
 *
 * @module
 */
import { isWithinLast } from "../base/timeout.js"
import type { StoredTokens } from "./token-records.js"

/** A token is renewed in the background when less than this part of its lifetime remains. */
const RENEWAL_FRACTION = 1 / 10
/**
 * `minValidSeconds` is limited to this part of a token's lifetime. Otherwise every call would renew a short-lived
 * token.
 */
const MAX_MARGIN_FRACTION = 1 / 4

/** How the tokens of a provider are kept and renewed. */
export interface TokenRules {
  /** False with `keepTokens: false`: the tokens are stored in the adapter, and not in the store. */
  readonly isStored: boolean
  /** False if refresh tokens of the provider can't be used. */
  readonly isRenewable: boolean
  /** Converts a scope to the name under which the provider returns it. */
  readonly canonicalScope: (scope: string) => string
}

/** Splits a list of scopes. Some providers separate scopes by commas instead of spaces. */
export const parseScopes = (scope: string): string[] => scope.split(/[\s,]+/).filter(Boolean)

/**
 * True if the tokens have all of the scopes. `offline_access` is granted if there is a refresh token, because not all
 * providers return it as a scope.
 */
function hasScope(
  { scope = "", refreshToken }: StoredTokens,
  required: string,
  { canonicalScope }: Pick<TokenRules, "canonicalScope">,
): boolean {
  const granted = new Set(parseScopes(scope).map(canonicalScope))
  if (refreshToken) granted.add(canonicalScope("offline_access"))
  return parseScopes(required).every((name) => granted.has(canonicalScope(name)))
}

/** True if the access token is valid for the required time. */
export function isFresh(
  { expiresAt, issuedAt, refreshToken }: StoredTokens,
  minValidSeconds: number,
  now: number,
): boolean {
  if (expiresAt === undefined) return true
  // A token that can't be renewed is used until it expires.
  const margin = refreshToken ? Math.min(minValidSeconds * 1000, (expiresAt - issuedAt) * MAX_MARGIN_FRACTION) : 0
  return now < expiresAt - margin
}

/** True if the tokens should be renewed in the background. */
export const isAging = ({ expiresAt = Infinity, issuedAt, refreshToken }: StoredTokens, now: number): boolean =>
  refreshToken !== undefined && expiresAt - now < (expiresAt - issuedAt) * RENEWAL_FRACTION

/** After a failed renewal, the same tokens are not renewed again for this time. */
const RETRY_AFTER_FAILURE_MS = 2_000

/** True if the provider has failed to renew the tokens within the last two seconds. */
export const hasJustFailed = ({ failedAt }: StoredTokens, now: number): boolean =>
  failedAt !== undefined && isWithinLast(RETRY_AFTER_FAILURE_MS, failedAt, now)

const UNCHANGED_SCOPES: Pick<TokenRules, "canonicalScope"> = { canonicalScope: (scope) => scope }

/** Returns why the user has to sign in at the provider; undefined if the tokens can be used or renewed. */
export function findSignInReason(
  tokens: StoredTokens | undefined,
  { scope = "" }: { readonly scope?: string | undefined },
  { rulesFor }: { readonly rulesFor: (provider: string) => TokenRules | undefined },
  now: number,
): string | undefined {
  if (!tokens) return "there is no token of this provider for the user"
  if (tokens.isRevoked) return "the provider has rejected the refresh token"
  if (!hasScope(tokens, scope, rulesFor(tokens.provider) ?? UNCHANGED_SCOPES))
    return `the user has not granted the scope "${scope}"`
  const isExpired = !tokens.refreshToken && !isFresh(tokens, 0, now)
  return isExpired ? "the access token has expired, and there is no refresh token" : undefined
}

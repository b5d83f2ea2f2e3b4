/**
 * What can be done with the tokens of an account, as pure functions.
 *
 * @module
 */
import { isWithin } from "../base/timeout.js"
import type { StoredTokens } from "./token-records.js"

/** The part of its lifetime at whose beginning a token is renewed in the background. */
const RENEWAL_PART = 1 / 10
/** The part of a token's lifetime to which `minValidSeconds` is limited, so that short tokens are not renewed each time. */
const MAX_MARGIN_PART = 1 / 4

/** How the tokens of a provider are kept and renewed. */
export interface TokenRules {
  /** False with `keepTokens: false`. */
  readonly isKept: boolean
  /** False if the vendor's refresh tokens can't be used. */
  readonly isRenewable: boolean
  /** Converts a scope to the name under which the provider returns it. */
  readonly canonicalScope: (scope: string) => string
}

/** The scopes of a list. Some providers separate them by commas. */
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
  // Without a refresh token, a shorter validity is better than none.
  const margin = refreshToken ? Math.min(minValidSeconds * 1000, (expiresAt - issuedAt) * MAX_MARGIN_PART) : 0
  return now < expiresAt - margin
}

export const isAging = ({ expiresAt = Infinity, issuedAt, refreshToken }: StoredTokens, now: number): boolean =>
  refreshToken !== undefined && expiresAt - now < (expiresAt - issuedAt) * RENEWAL_PART

/** How long a provider that has failed is not asked again for the same tokens. */
const FAILURE_MS = 2_000

export const hasJustFailed = ({ failedAt }: StoredTokens, now: number): boolean =>
  failedAt !== undefined && isWithin(FAILURE_MS, failedAt, now)

const UNCHANGED: Pick<TokenRules, "canonicalScope"> = { canonicalScope: (scope) => scope }

/** Why the user has to sign in at the provider; undefined if the tokens can be used or renewed. */
export function findMissing(
  tokens: StoredTokens | undefined,
  { scope = "" }: { readonly scope?: string | undefined },
  { rulesFor }: { readonly rulesFor: (provider: string) => TokenRules | undefined },
  now: number,
): string | undefined {
  if (!tokens) return "there is no token of this provider for the user"
  if (tokens.isRevoked) return "the provider has rejected the refresh token"
  if (!hasScope(tokens, scope, rulesFor(tokens.provider) ?? UNCHANGED))
    return `the user has not granted the scope "${scope}"`
  const isExpired = !tokens.refreshToken && !isFresh(tokens, 0, now)
  return isExpired ? "the access token has expired, and there is no refresh token" : undefined
}

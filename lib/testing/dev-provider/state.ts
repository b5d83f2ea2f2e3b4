import type { ExpiringStore } from "./expiring-store.js"
import type { SigningKeys } from "./keys.js"
import type { Behaviour, DevMode } from "./mode.js"
import type { DevUser } from "./users.js"

/** An answer to a sign-in: the user, a simulated failure and changed claims. */
export interface DevAnswer {
  /** The `sub` or email address of the user. @default the first user */
  readonly as?: string
  /** The simulated failure. @default none */
  readonly mode?: DevMode
  /** Claims that override the user's claims for this sign-in; `undefined` removes a claim. */
  readonly claims?: DevUser
}

/** The authorization of one sign-in. The code, and the tokens that the code is exchanged for, refer to it. */
export interface Grant {
  readonly sub: string
  readonly claims: DevUser
  readonly scope: string
  readonly redirectUri: string
  readonly challenge: string
  readonly nonce: string | undefined
  readonly authTimeSeconds: number
  readonly behaviour: Behaviour
  isRedeemed: boolean
  /** True if the code was used twice, so that its tokens are revoked (RFC 6749 §4.1.2). */
  isRevoked: boolean
}

/** A browser's session at this provider: the user, and the time of the authentication. */
export interface ProviderSession {
  readonly sub: string
  readonly authTimeSeconds: number
}

/** The state that the endpoints share. */
export interface ProviderState {
  readonly issuer: string
  /** The origin of the endpoints. */
  readonly origin: string
  readonly clientId: string
  readonly clientSecret: string
  readonly users: Map<string, DevUser>
  readonly keys: SigningKeys
  readonly codes: ExpiringStore<Grant>
  readonly accessTokens: ExpiringStore<Grant>
  readonly refreshTokens: ExpiringStore<Grant>
  readonly sessions: ExpiringStore<ProviderSession>
  readonly slowSeconds: number
  readonly now: () => number
  /** Removes and returns the next answer. Without a next answer, returns the default answer, which may be undefined. */
  takeAnswer(): DevAnswer | undefined
  /** True for loopback addresses and configured redirect URIs. */
  isAllowedRedirect(redirectUri: string): boolean
}

/** A parsed HTTP request. */
export interface ProviderRequest {
  readonly method: string
  /** The parameters of the query or of the posted form. */
  readonly params: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

export const secondsNow = ({ now }: Pick<ProviderState, "now">): number => Math.floor(now() / 1000)

/** Returns a parameter. An empty value is treated as missing (RFC 6749 §3.1). */
export const param = (params: URLSearchParams, name: string): string | undefined => params.get(name) || undefined

/** Returns the first parameter name that occurs more than once; undefined if there is none. */
export const repeatedName = (params: URLSearchParams): string | undefined =>
  [...params.keys()].find((name) => params.getAll(name).length > 1)

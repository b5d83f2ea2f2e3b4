import type { Kept } from "./kept.js"
import type { SigningKeys } from "./keys.js"
import type { Behaviour, DevMode } from "./mode.js"
import type { DevPerson } from "./people.js"

/** How a sign-in is answered without the page. */
export interface DevAnswer {
  /** Whose `sub` or e-mail address it is. @default the first of the people */
  readonly as?: string
  /** What goes otherwise than it should. @default nothing */
  readonly mode?: DevMode
  /** Claims over those of the person, for this sign-in alone; `undefined` takes one away. */
  readonly claims?: DevPerson
}

/** What a person agreed to: behind a code, and behind the tokens that came of it. */
export interface Grant {
  readonly sub: string
  readonly claims: DevPerson
  readonly scope: string
  readonly redirectUri: string
  readonly challenge: string
  readonly nonce: string | undefined
  readonly authTimeSeconds: number
  readonly behaviour: Behaviour
  isRedeemed: boolean
  /** The code came twice: none of its tokens counts any more (RFC 6749 §4.1.2). */
  isRevoked: boolean
}

/** Who signed in at this provider with a browser, and when. */
export interface ProviderSession {
  readonly sub: string
  readonly authTimeSeconds: number
}

/** What the endpoints know and keep. */
export interface ProviderState {
  readonly issuer: string
  /** Where the endpoints are. */
  readonly origin: string
  readonly clientId: string
  readonly clientSecret: string
  readonly people: Map<string, DevPerson>
  readonly keys: SigningKeys
  readonly codes: Kept<Grant>
  readonly accessTokens: Kept<Grant>
  readonly refreshTokens: Kept<Grant>
  readonly sessions: Kept<ProviderSession>
  readonly slowSeconds: number
  readonly now: () => number
  /** The next answer that was ordered, if any. */
  takeAnswer(): DevAnswer | undefined
  isOurs(redirectUri: string): boolean
}

/** One request, read. */
export interface ProviderRequest {
  readonly method: string
  /** Of the query, or of the form that was posted. */
  readonly params: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Aborted when the other side hangs up. */
  readonly signal: AbortSignal
}

export const secondsNow = ({ now }: Pick<ProviderState, "now">): number => Math.floor(now() / 1000)

/**
 * A parameter that may come once (RFC 6749 §3.1); an empty one counts as left out.
 */
export const param = (params: URLSearchParams, name: string): string | undefined => params.get(name) || undefined

/** The first name that came more than once. */
export const repeatedName = (params: URLSearchParams): string | undefined =>
  [...params.keys()].find((name) => params.getAll(name).length > 1)

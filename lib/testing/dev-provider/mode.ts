import type { DevUser } from "./users.js"

/**
 * The simulated failures:
 * - `deny`: the user denies the sign-in; the error is `access_denied`
 * - `expired-flow`: the `state` of the response is unknown to the application, as after an hour on the provider's page
 * - `expired-code`: the code is too old when the application redeems it
 * - `expired-token`: the id_token expired an hour ago
 * - `slow`: the token endpoint responds after `slowSeconds`
 * - `unverified-email`: the address has `email_verified: false`
 * - `no-email`: the user has no email address
 * - `new-keys`: the signing key changed after the application had fetched it; the sign-in still works
 * - `wrong-signature`: the id_token is signed with an unpublished key
 */
export type DevMode =
  | "deny"
  | "expired-flow"
  | "expired-code"
  | "expired-token"
  | "slow"
  | "unverified-email"
  | "no-email"
  | "new-keys"
  | "wrong-signature"

/** What a mode changes in a sign-in. */
export interface Behaviour {
  /** The error to return in the authorization response (RFC 6749 §4.1.2.1). */
  readonly refusal?: { readonly error: string; readonly description: string }
  /** True if the response has a `state` that belongs to no sign-in. */
  readonly losesState?: true
  readonly isCodeExpired?: true
  /** Seconds subtracted from the times of the id_token. */
  readonly tokenAgeSeconds?: number
  readonly isSlow?: true
  readonly changesKeys?: true
  readonly signsWithOtherKey?: true
  /** Changes the user's claims. */
  readonly changeClaims?: (user: DevUser) => DevUser
}

/** How the page shows a mode. */
export interface ModeOffer {
  readonly label: string
  /** The effect, in a sentence. */
  readonly outcome: string
}

const TWO_HOURS_SECONDS = 2 * 60 * 60

/** The modes, in the page's order. */
export const MODES: Readonly<Record<DevMode, Behaviour & ModeOffer>> = {
  deny: {
    label: "Deny",
    outcome: "The user denies the sign-in: the error is access_denied.",
    refusal: { error: "access_denied", description: "the user denied the request" },
  },
  "expired-flow": {
    label: "Expired sign-in",
    outcome: "The response is too late: its state is unknown to the application.",
    losesState: true,
  },
  "expired-code": {
    label: "Expired code",
    outcome: "The token endpoint answers invalid_grant.",
    isCodeExpired: true,
  },
  "expired-token": {
    label: "Expired id_token",
    outcome: "The id_token expired an hour ago, as if a clock were wrong.",
    tokenAgeSeconds: TWO_HOURS_SECONDS,
  },
  slow: { label: "Slow response", outcome: "The token endpoint responds slowly.", isSlow: true },
  "unverified-email": {
    label: "Unverified email",
    outcome: "The address has email_verified: false.",
    changeClaims: (user) => ({ ...user, email_verified: false }),
  },
  "no-email": {
    label: "No email",
    outcome: "Neither email nor email_verified is present.",
    changeClaims: ({ email: _, email_verified: __, ...user }) => user,
  },
  "new-keys": {
    label: "New keys",
    outcome: "The provider no longer uses the key that the application has fetched. The sign-in still works.",
    changesKeys: true,
  },
  "wrong-signature": {
    label: "Wrong signature",
    outcome: "The id_token is signed with an unpublished key.",
    signsWithOtherKey: true,
  },
}

// Object.keys returns the keys of the record's type.
export const MODE_NAMES = Object.keys(MODES) as readonly DevMode[]

export const isMode = (text: string): text is DevMode => Object.hasOwn(MODES, text)

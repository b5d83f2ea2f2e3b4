import type { DevPerson } from "./people.js"

/**
 * What goes otherwise than it should:
 * - `deny`: the person refuses, the answer is `access_denied`
 * - `expired-flow`: the answer comes to a sign-in that the application has forgotten, as after an hour at this page
 * - `expired-code`: the code is too old when the application redeems it
 * - `expired-token`: the id_token expired an hour ago
 * - `slow`: the token endpoint takes `slowSeconds`
 * - `unverified-email`: the address comes with `email_verified: false`
 * - `no-email`: there is no address
 * - `new-keys`: the keys were changed since the application fetched them; the sign-in works all the same
 * - `wrong-signature`: the id_token is signed with a key that nobody published
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

/** What a mode changes, each of it read in one place. */
export interface Behaviour {
  /** The authorization response is this error (RFC 6749 §4.1.2.1). */
  readonly refusal?: { readonly error: string; readonly description: string }
  /** A `state` that belongs to no sign-in goes back. */
  readonly losesState?: true
  readonly isCodeExpired?: true
  /** Seconds by which the id_token is older than it is. */
  readonly tokenAgeSeconds?: number
  readonly isSlow?: true
  readonly changesKeys?: true
  readonly signsWithOtherKey?: true
  readonly describe?: (person: DevPerson) => DevPerson
}

/** A mode as the page offers it. */
export interface ModeOffer {
  readonly label: string
  /** What comes of it. */
  readonly outcome: string
}

const TWO_HOURS_SECONDS = 2 * 60 * 60

/** The modes, in the page's order. */
export const MODES: Readonly<Record<DevMode, Behaviour & ModeOffer>> = {
  deny: {
    label: "Deny",
    outcome: "You refuse: the answer is access_denied.",
    refusal: { error: "access_denied", description: "the person refused" },
  },
  "expired-flow": {
    label: "Expired sign-in",
    outcome: "The answer comes too late: the application has forgotten its state.",
    losesState: true,
  },
  "expired-code": {
    label: "Expired code",
    outcome: "The token endpoint answers invalid_grant.",
    isCodeExpired: true,
  },
  "expired-token": {
    label: "Expired id_token",
    outcome: "It expired an hour ago, as with a wrong clock.",
    tokenAgeSeconds: TWO_HOURS_SECONDS,
  },
  slow: { label: "Slow answer", outcome: "The token endpoint takes its time.", isSlow: true },
  "unverified-email": {
    label: "Unverified e-mail",
    outcome: "The address comes with email_verified: false.",
    describe: (person) => ({ ...person, email_verified: false }),
  },
  "no-email": {
    label: "No e-mail",
    outcome: "Neither email nor email_verified is said.",
    describe: ({ email: _, email_verified: __, ...person }) => person,
  },
  "new-keys": {
    label: "New keys",
    outcome: "The key that the application knows is gone. The sign-in works all the same.",
    changesKeys: true,
  },
  "wrong-signature": {
    label: "Wrong signature",
    outcome: "The id_token is signed with a key that nobody published.",
    signsWithOtherKey: true,
  },
}

// The keys of a record are of its own type.
export const MODE_NAMES = Object.keys(MODES) as readonly DevMode[]

export const isMode = (text: string): text is DevMode => Object.hasOwn(MODES, text)

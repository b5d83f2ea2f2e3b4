import { createRecent } from "../security/recent.js"

/** What a token was renewed to. */
export interface Renewal {
  readonly value: string
  readonly end: Date
  readonly madeAt: number
}

/** Renewals that are given again to requests with the old token. */
export interface Renewals {
  get(replaces: string): Renewal | undefined
  set(replaces: string, renewal: Renewal): void
}

const RENEWALS = 1_000
/** Until the new token has arrived. */
const RENEWAL_SECONDS = 60

/** Keeps renewals for a minute, and for `atMostSeconds`: one must not be given out when it is due again, or over. */
export function createRenewals(atMostSeconds: number, now: () => number): Renewals {
  const recent = createRecent<Renewal>(RENEWALS)
  const ms = Math.min(RENEWAL_SECONDS, atMostSeconds) * 1000
  return {
    get(replaces) {
      const renewal = recent.get(replaces)
      return renewal && now() - renewal.madeAt < ms ? renewal : undefined
    },
    set: (replaces, renewal) => recent.set(replaces, renewal),
  }
}

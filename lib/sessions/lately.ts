import { createRecent } from "../security/recent.js"

/** What was made of tokens lately, for requests that still come with the old ones. */
export interface Lately<T> {
  get(old: string): T | undefined
  set(old: string, made: T): void
}

/** What a token was renewed to. */
export interface Renewal {
  readonly value: string
  readonly end: Date
}

const TOKENS = 1_000
/** Until the new token has arrived. */
const SECONDS = 60

/** The time, and another that goes on when somebody sets the clock back. */
interface Moment {
  readonly now: number
  readonly steady: number
}

/** Keeps what was made for a minute, and for `atMostSeconds`: none must be given out when it is due again, or over. */
export function createLately<T>(atMostSeconds: number, now: () => number): Lately<T> {
  const recent = createRecent<{ readonly made: T; readonly madeAt: Moment }>(TOKENS)
  const ms = Math.min(SECONDS, atMostSeconds) * 1000
  const moment = (): Moment => ({ now: now(), steady: performance.now() })
  const isOver = (since: Moment): boolean => {
    const at = moment()
    return Math.max(at.now - since.now, at.steady - since.steady) >= ms
  }
  return {
    get(old) {
      const found = recent.get(old)
      return found && !isOver(found.madeAt) ? found.made : undefined
    },
    set: (old, made) => recent.set(old, { made, madeAt: moment() }),
  }
}

import { createSingleFlight } from "../cache/single-flight.js"
import { AdapterError } from "../errors/errors.js"
import type { Store } from "../store/store.js"
import { type EndedSessions, type Ending, EndingReader, EndingWriter } from "./ending-batches.js"

/** How old the list may be when a session is read. */
const MAX_AGE_MS = 1_000
/** After this time, a session read renews the list in the background. */
const RENEWAL_AGE_MS = 500

/**
 * The sessions that have ended in the last minute, in all processes. A process that has cached the record of such a
 * session reads it again.
 */
export interface EndedFeed {
  /** Adds an entry, before the records are deleted. */
  add(ending: Ending): Promise<void>
  /** True if the list is at most a second old. If it is half a second old, it is renewed in the background. */
  isFresh(): boolean
  /**
   * Waits for a list that is at most `maxAgeMs` old.
   *
   * @default maxAgeMs: 1000
   * @throws AdapterError if the store fails or does not respond
   */
  refresh(maxAgeMs?: number): Promise<void>
  /**
   * True if the session may have ended since a time of `performance.now()`, so that only the store knows whether it is
   * live. A record that was read after the list is as new as the list.
   *
   * @default since: true if the session may have recently ended
   */
  mayHaveEnded(id: string, owner: string | undefined, since?: number): boolean
}

const NONE: EndedSessions = { sessions: new Set(), owners: new Map() }

const createTimeoutError = (seconds: number) =>
  new AdapterError(`store.list did not respond within ${seconds} s`, { method: "store.list" })

/** Times of the list are monotonic, because the system time may be set back. */
export function createEndedFeed(store: Store): EndedFeed {
  const writer = new EndingWriter(store)
  const reader = new EndingReader(store)
  const flight = createSingleFlight<void>(createTimeoutError)
  let endings = NONE
  let listedAt = Number.NEGATIVE_INFINITY
  let isRenewing = false
  const list = (): Promise<void> =>
    flight.read("", async () => {
      const startedAt = performance.now()
      const found = await reader.read()
      // A later list may have overtaken one that took more than five seconds.
      if (startedAt < listedAt) return
      endings = found
      listedAt = startedAt
    })
  /** Renews the list in the background. Requests do not wait, so a failure is thrown by the first that has to. */
  const renew = async (): Promise<void> => {
    if (isRenewing) return
    isRenewing = true
    await list().catch(() => {})
    isRenewing = false
  }
  return {
    add: (ending) => writer.add(ending),
    isFresh() {
      const age = performance.now() - listedAt
      if (age > RENEWAL_AGE_MS && age <= MAX_AGE_MS) void renew()
      return age <= MAX_AGE_MS
    },
    async refresh(maxAgeMs = MAX_AGE_MS) {
      const earliest = performance.now() - maxAgeMs
      while (listedAt < earliest) await list()
    },
    mayHaveEnded(id, owner, since = Number.NEGATIVE_INFINITY) {
      if (since >= listedAt) return false
      if (endings.sessions.has(id)) return true
      return owner !== undefined && endings.owners.has(owner) && endings.owners.get(owner) !== id
    },
  }
}

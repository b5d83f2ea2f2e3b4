import { createSingleFlight } from "../cache/single-flight.js"
import { AdapterError } from "../errors/errors.js"
import type { Store } from "../store/store.js"
import { type EndedSessionSet, type Ending, EndingReader, EndingWriter } from "./ending-batches.js"

/** The maximum age of the list of ended sessions when a session is read. */
const MAX_AGE_MS = 1_000
/** After this time, a session read renews the list in the background. */
const RENEWAL_AGE_MS = 500

/**
 * The list of the sessions that have ended in the last minute in any process. If a process has cached the record of
 * such a session, it reads the record again.
 */
export interface EndedFeed {
  /** Adds an entry. It must be added before the records are deleted. */
  add(ending: Ending): Promise<void>
  /** True if the list was read at most a second ago. After half a second, it is also renewed in the background. */
  isFresh(): boolean
  /**
   * Resolves when the list is at most `maxAgeMs` old; reads it if necessary.
   *
   * @default maxAgeMs: 1000
   * @throws AdapterError if the store fails or does not respond
   */
  refresh(maxAgeMs?: number): Promise<void>
  /**
   * True if the session may have ended after `since`, the time of `performance.now()` at which its record was read. The
   * record must then be read again. False if the record was read after the list, because it is then up to date. Without
   * `since`, returns whether the list contains the session. `owner` is the owner's hash.
   */
  mayHaveEnded(id: string, owner: string | undefined, since?: number): boolean
}

const NONE: EndedSessionSet = { sessions: new Set(), owners: new Map() }

const createTimeoutError = (seconds: number) =>
  new AdapterError(`store.list did not respond within ${seconds} s`, { method: "store.list" })

/** Creates the feed. It uses monotonic times, because the system time may be set back. */
export function createEndedFeed(store: Store): EndedFeed {
  const writer = new EndingWriter(store)
  const reader = new EndingReader(store)
  const flight = createSingleFlight<void>(createTimeoutError)
  let endings = NONE
  let listedAt = Number.NEGATIVE_INFINITY
  let isRenewing = false
  const readList = (): Promise<void> =>
    flight.read("", async () => {
      const startedAt = performance.now()
      const found = await reader.read()
      // If this read takes longer than five seconds, another read may start and finish first. The result of this read
      // is then out of date.
      if (startedAt < listedAt) return
      endings = found
      listedAt = startedAt
    })
  /**
   * Renews the list in the background. A failure is ignored: if the list gets too old, `refresh` reads it again and
   * throws.
   */
  const renew = async (): Promise<void> => {
    if (isRenewing) return
    isRenewing = true
    await readList().catch(() => {})
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
      while (listedAt < earliest) await readList()
    },
    mayHaveEnded(id, owner, since = Number.NEGATIVE_INFINITY) {
      if (since >= listedAt) return false
      if (endings.sessions.has(id)) return true
      return owner !== undefined && endings.owners.has(owner) && endings.owners.get(owner) !== id
    },
  }
}

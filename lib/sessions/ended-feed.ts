import { createSingleFlight } from "../cache/single-flight.js"
import { AdapterError } from "../errors/errors.js"
import { randomText } from "../security/tokens.js"
import type { Store } from "../store/store.js"

const KIND = "ended"
const OWNER = "feed"
const PAGE = 1_000

/** How long an ended session stays in the feed: longer than a process uses a record that it has read. */
export const RETENTION_MS = 60_000
/** How old the list may be when a session is read. */
const MAX_AGE_MS = 1_000
/** After this time, a session read renews the list in the background. */
const RENEWAL_AGE_MS = 500

/** What has ended: one session, or all sessions of an owner except one. */
export type Ending =
  | { readonly session: string; readonly owner?: undefined }
  | { readonly owner: string; readonly except?: string | undefined; readonly session?: undefined }

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
  /** True if the session may have ended in the last minute, so that only the store knows whether it is live. */
  mayHaveEnded(id: string, owner: string | undefined): boolean
}

/** The entries of one list. */
interface Endings {
  readonly sessions: ReadonlySet<string>
  /** By owner: the sessions that were excepted, undefined for none. */
  readonly owners: ReadonlyMap<string, readonly (string | undefined)[]>
}

const NONE: Endings = { sessions: new Set(), owners: new Map() }

const createTimeoutError = (seconds: number) =>
  new AdapterError(`store.list did not respond within ${seconds} s`, { method: "store.list" })

async function readEndings(store: Store): Promise<Endings> {
  const sessions = new Set<string>()
  const owners = new Map<string, (string | undefined)[]>()
  let after: string | undefined
  do {
    const page = await store.list(KIND, OWNER, { limit: PAGE, after })
    for (const { value } of page) {
      const ending: Ending = JSON.parse(value)
      if (ending.session !== undefined) sessions.add(ending.session)
      else owners.set(ending.owner, [...(owners.get(ending.owner) ?? []), ending.except])
    }
    after = page.length < PAGE ? undefined : page.at(-1)?.key
  } while (after !== undefined)
  return { sessions, owners }
}

/** Times of the list are monotonic, because the system time may be set back. */
export function createEndedFeed(store: Store): EndedFeed {
  const flight = createSingleFlight<void>(createTimeoutError)
  let endings = NONE
  let listedAt = Number.NEGATIVE_INFINITY
  let isRenewing = false
  const list = (): Promise<void> =>
    flight.read("", async () => {
      const startedAt = performance.now()
      const found = await readEndings(store)
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
    async add(ending) {
      const key = ending.session ?? randomText()
      const expires = new Date(Date.now() + RETENTION_MS)
      await store.set(KIND, key, { value: JSON.stringify(ending), owner: OWNER, expires })
    },
    isFresh() {
      const age = performance.now() - listedAt
      if (age > RENEWAL_AGE_MS && age <= MAX_AGE_MS) void renew()
      return age <= MAX_AGE_MS
    },
    async refresh(maxAgeMs = MAX_AGE_MS) {
      const earliest = performance.now() - maxAgeMs
      while (listedAt < earliest) await list()
    },
    mayHaveEnded(id, owner) {
      if (endings.sessions.has(id)) return true
      const exceptions = owner === undefined ? undefined : endings.owners.get(owner)
      return exceptions?.some((except) => except !== id) ?? false
    },
  }
}

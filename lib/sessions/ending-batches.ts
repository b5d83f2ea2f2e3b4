/**
 * Writes and reads the feed, a list in the store by which all processes learn which sessions have ended. An entry of
 * the feed is called an ending. A process writes its endings in batches, one store record for each batch, so that there
 * are few records to read while many sessions end.
 *
 * @module
 */
import { withTimeout } from "../base/timeout.js"
import { READ_TIMEOUT_MS } from "../cache/single-flight.js"
import { AdapterError } from "../errors/errors.js"
import { randomText } from "../security/tokens.js"
import { listAll } from "../store/list-all.js"
import type { Store } from "../store/store.js"

const KIND = "ended"
const FEED_OWNER = "feed"

/**
 * The shortest time for which an ending stays in the feed. It is longer than a process caches the record of a session.
 */
export const RETENTION_MS = 60_000
/**
 * How long a batch accepts further endings. Each write renews the expiry of the whole record, so the first ending of a
 * batch stays in the feed for at most this much longer than `RETENTION_MS`.
 */
const BATCH_OPEN_MS = 30_000
/** Limits a record to 30 kB, because an ending has at most 300 bytes. The store accepts values of up to 64 kB. */
const MAX_ENDINGS = 100

/** What has ended: one session, or all sessions of a user except `except`. `owner` is the hash of the owner. */
export type Ending =
  | { readonly session: string; readonly owner?: undefined }
  | { readonly owner: string; readonly except?: string | undefined; readonly session?: undefined }

/** The endings in one record. */
interface Batch {
  readonly key: string
  readonly startedAt: number
  /** The endings as JSON strings, so that an ending which is added repeatedly is written once. */
  readonly jsonEndings: ReadonlySet<string>
}

interface WaitingEnding {
  readonly json: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

const createTimeoutError = () =>
  new AdapterError(`store.set did not respond within ${READ_TIMEOUT_MS / 1000} s`, { method: "store.set" })

/** Writes the endings that this process adds. */
export class EndingWriter {
  readonly #store: Store
  readonly #waiting: WaitingEnding[] = []
  #isWriting = false
  #batch: Batch | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Adds an ending. Resolves when the ending is written. Endings that are added during a write are written together in
   * the next write.
   */
  add(ending: Ending): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ json: JSON.stringify(ending), resolve, reject })
      if (!this.#isWriting) void this.#writeWaiting()
    })
  }

  async #writeWaiting(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      const next = this.#waiting.splice(0, MAX_ENDINGS)
      try {
        await this.#write(next.map(({ json }) => json))
        for (const { resolve } of next) resolve()
      } catch (error) {
        for (const { reject } of next) reject(error)
      }
    }
    this.#isWriting = false
  }

  async #write(added: readonly string[]): Promise<void> {
    const batch = this.#extend(added)
    // A write that failed may still reach the store later and overwrite newer endings. After a failure this record is
    // therefore not written again, and the next write begins a new record.
    this.#batch = undefined
    const value = `[${[...batch.jsonEndings].join()}]`
    const expires = new Date(Date.now() + RETENTION_MS)
    const written = this.#store.set(KIND, batch.key, { value, owner: FEED_OWNER, expires })
    await withTimeout(written, READ_TIMEOUT_MS, createTimeoutError)
    this.#batch = batch
  }

  /**
   * Returns the current batch with the added endings, or a new batch if the current batch is too old or would get too
   * large.
   */
  #extend(added: readonly string[]): Batch {
    const now = performance.now()
    const current = this.#batch
    const jsonEndings = new Set([...(current?.jsonEndings ?? []), ...added])
    const isOpen = current && jsonEndings.size <= MAX_ENDINGS && now - current.startedAt < BATCH_OPEN_MS
    return isOpen ? { ...current, jsonEndings } : { key: randomText(), startedAt: now, jsonEndings: new Set(added) }
  }
}

/** The ended sessions, merged from all records of the feed. */
export interface EndedSessionSet {
  /** The ids of sessions that ended one by one. */
  readonly sessions: ReadonlySet<string>
  /** By the hash of each owner whose sessions have ended: the id of the session that did not end, if there is one. */
  readonly owners: ReadonlyMap<string, string | undefined>
}

/** The endings of one version of a record, parsed once. */
interface ParsedRecord {
  readonly version: string
  readonly endings: readonly Ending[]
}

/** The result of the last read. */
interface Snapshot {
  /** The records by key. */
  readonly records: ReadonlyMap<string, ParsedRecord>
  readonly ended: EndedSessionSet
}

function mergeEndings(records: Iterable<ParsedRecord>): EndedSessionSet {
  const sessions = new Set<string>()
  const owners = new Map<string, string | undefined>()
  for (const { endings } of records)
    for (const ending of endings) {
      if (ending.session !== undefined) sessions.add(ending.session)
      else {
        const { owner, except } = ending
        // If two endings of an owner have different values of `except`, each of them ends the session that the other
        // one keeps. So no session is left.
        owners.set(owner, owners.has(owner) && owners.get(owner) !== except ? undefined : except)
      }
    }
  return { sessions, owners }
}

/** Reads the endings of all processes. */
export class EndingReader {
  readonly #store: Store
  #last: Snapshot = { records: new Map(), ended: { sessions: new Set(), owners: new Map() } }

  constructor(store: Store) {
    this.#store = store
  }

  async read(): Promise<EndedSessionSet> {
    const last = this.#last
    const records = new Map<string, ParsedRecord>()
    let isUnchanged = true
    for await (const { key, version, value } of listAll(this.#store, KIND, FEED_OWNER)) {
      const found = last.records.get(key)
      const isKnown = found?.version === version
      isUnchanged &&= isKnown
      records.set(key, isKnown ? found : { version, endings: JSON.parse(value) })
    }
    isUnchanged &&= records.size === last.records.size
    this.#last = { records, ended: isUnchanged ? last.ended : mergeEndings(records.values()) }
    return this.#last.ended
  }
}

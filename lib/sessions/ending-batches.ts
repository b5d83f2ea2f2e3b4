/**
 * The records of the feed of ended sessions. A record has all endings that a process has added in a short time, so that
 * few records have to be read while many sessions end.
 *
 * @module
 */
import { withTimeout } from "../base/timeout.js"
import { READ_TIMEOUT_MS } from "../cache/single-flight.js"
import { AdapterError } from "../errors/errors.js"
import { randomText } from "../security/tokens.js"
import type { Store, StoreRecord } from "../store/store.js"

const KIND = "ended"
const OWNER = "feed"
const PAGE = 1_000

/** How long an ended session stays in the feed: longer than a process uses a record that it has read. */
export const RETENTION_MS = 60_000
/** The last write of a record determines its expiry, so that its first ending remains for at most this much longer. */
const MAX_AGE_MS = 30_000
/** A value of the store has up to 64 kB, and an ending has at most 300 bytes. */
const MAX_ENDINGS = 100

/** What has ended: one session, or all sessions of an owner except one. */
export type Ending =
  | { readonly session: string; readonly owner?: undefined }
  | { readonly owner: string; readonly except?: string | undefined; readonly session?: undefined }

/** The endings in one record. */
interface Batch {
  readonly key: string
  readonly startedAt: number
  /** As JSON. An ending that is added repeatedly is contained once. */
  readonly endings: ReadonlySet<string>
}

interface WaitingEnding {
  readonly ending: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

const createTimeoutError = () =>
  new AdapterError(`store.set did not respond within ${READ_TIMEOUT_MS / 1000} s`, { method: "store.set" })

/** Writes the endings of this process. */
export class EndingWriter {
  readonly #store: Store
  readonly #waiting: WaitingEnding[] = []
  #isWriting = false
  #batch: Batch | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** Adds an ending. Endings that are added during a write share the next one. */
  add(ending: Ending): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ending: JSON.stringify(ending), resolve, reject })
      if (!this.#isWriting) void this.#writeWaiting()
    })
  }

  async #writeWaiting(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      const next = this.#waiting.splice(0, MAX_ENDINGS)
      try {
        await this.#write(next.map(({ ending }) => ending))
        for (const { resolve } of next) resolve()
      } catch (error) {
        for (const { reject } of next) reject(error)
      }
    }
    this.#isWriting = false
  }

  async #write(added: readonly string[]): Promise<void> {
    const batch = this.#extend(added)
    // A write that failed may still be carried out later. It must not replace a later one, so no write follows it.
    this.#batch = undefined
    const value = `[${[...batch.endings].join()}]`
    const expires = new Date(Date.now() + RETENTION_MS)
    const written = this.#store.set(KIND, batch.key, { value, owner: OWNER, expires })
    await withTimeout(written, READ_TIMEOUT_MS, createTimeoutError)
    this.#batch = batch
  }

  /** Adds endings to the current batch, or begins another one. */
  #extend(added: readonly string[]): Batch {
    const now = performance.now()
    const current = this.#batch
    const endings = new Set([...(current?.endings ?? []), ...added])
    const isOpen = current && endings.size <= MAX_ENDINGS && now - current.startedAt < MAX_AGE_MS
    return isOpen ? { ...current, endings } : { key: randomText(), startedAt: now, endings: new Set(added) }
  }
}

/** The endings of one list. */
export interface Endings {
  readonly sessions: ReadonlySet<string>
  /** By owner: the session that was excepted, undefined for none. */
  readonly owners: ReadonlyMap<string, string | undefined>
}

/** The endings of a record, which are parsed once for each version. */
interface ParsedRecord {
  readonly version: string
  readonly endings: readonly Ending[]
}

interface ParsedList {
  /** The records by key. */
  readonly records: ReadonlyMap<string, ParsedRecord>
  readonly endings: Endings
}

function merge(records: Iterable<ParsedRecord>): Endings {
  const sessions = new Set<string>()
  const owners = new Map<string, string | undefined>()
  for (const { endings } of records)
    for (const ending of endings) {
      if (ending.session !== undefined) sessions.add(ending.session)
      else {
        const { owner, except } = ending
        // Of two endings with different exceptions, each ends the exception of the other.
        owners.set(owner, owners.has(owner) && owners.get(owner) !== except ? undefined : except)
      }
    }
  return { sessions, owners }
}

/** Reads the endings of all processes. */
export class EndingReader {
  readonly #store: Store
  #list: ParsedList = { records: new Map(), endings: { sessions: new Set(), owners: new Map() } }

  constructor(store: Store) {
    this.#store = store
  }

  async read(): Promise<Endings> {
    const known = this.#list
    const records = new Map<string, ParsedRecord>()
    let isUnchanged = true
    for await (const { key, version, value } of this.#listRecords()) {
      const found = known.records.get(key)
      const isKnown = found?.version === version
      isUnchanged &&= isKnown
      records.set(key, isKnown ? found : { version, endings: JSON.parse(value) })
    }
    isUnchanged &&= records.size === known.records.size
    this.#list = { records, endings: isUnchanged ? known.endings : merge(records.values()) }
    return this.#list.endings
  }

  async *#listRecords(): AsyncGenerator<StoreRecord> {
    let after: string | undefined
    do {
      const page = await this.#store.list(KIND, OWNER, { limit: PAGE, after })
      yield* page
      after = page.length < PAGE ? undefined : page.at(-1)?.key
    } while (after !== undefined)
  }
}

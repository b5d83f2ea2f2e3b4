/**
 * A store in the memory of one process, for tests and development.
 *
 * @module
 */
import {
  DEFAULT_LIMIT,
  type OwnStore,
  requireAddress,
  requireRecord,
  requireWindow,
  type Store,
  type StoreRecord,
} from "./store.js"

/** Options of the memory store. */
export interface MemoryStoreOptions {
  /** Returns the time in milliseconds since 1970, for tests. @default Date.now */
  now?: () => number
}

const memoryStores = new WeakSet<Store>()

/** True for a `MemoryStore`, whose records no other process can read. */
export const isMemoryStore = (store: Store): boolean => memoryStores.has(store)

/**
 * Expired records are deleted after this many writes, or after half as many writes as there are rows if that is more.
 */
const MIN_WRITES_BETWEEN_DELETIONS = 1_000

interface Row extends StoreRecord {
  readonly kind: string
}

const isLive = ({ expires }: StoreRecord, now: number): boolean => expires === null || expires.getTime() > now

const toRecord = ({ kind: _, expires, ...record }: Row): StoreRecord => ({
  ...record,
  expires: expires && new Date(expires),
})

/** Stores rows by kind and key, and the keys of each owner for `listKeys`. `find` deletes an expired row. */
class Rows {
  readonly #rows = new Map<string, Row>()
  readonly #keysByOwner = new Map<string, Set<string>>()
  readonly #now: () => number
  #writes = 0

  constructor(now: () => number) {
    this.#now = now
  }

  find(kind: string, key: string): Row | undefined {
    const id = Rows.#id(kind, key)
    const row = this.#rows.get(id)
    if (!row || isLive(row, this.#now())) return row
    this.#drop(id, row)
    return undefined
  }

  put(row: Row): void {
    const id = Rows.#id(row.kind, row.key)
    this.remove(row.kind, row.key)
    this.#rows.set(id, row)
    if (row.owner !== undefined) {
      const ownerId = Rows.#id(row.kind, row.owner)
      const keys = this.#keysByOwner.get(ownerId) ?? new Set()
      this.#keysByOwner.set(ownerId, keys.add(row.key))
    }
    // The interval grows with the number of rows, because a deletion visits all of them.
    if (++this.#writes > Math.max(MIN_WRITES_BETWEEN_DELETIONS, this.#rows.size / 2)) this.deleteExpired()
  }

  remove(kind: string, key: string): boolean {
    const row = this.find(kind, key)
    if (row) this.#drop(Rows.#id(kind, key), row)
    return row !== undefined
  }

  listKeys(kind: string, owner: string): string[] {
    return [...(this.#keysByOwner.get(Rows.#id(kind, owner)) ?? [])].sort()
  }

  deleteExpired(): number {
    this.#writes = 0
    const now = this.#now()
    const expired = [...this.#rows].filter(([, row]) => !isLive(row, now))
    for (const [id, row] of expired) this.#drop(id, row)
    return expired.length
  }

  #drop(id: string, { kind, key, owner }: Row): void {
    this.#rows.delete(id)
    if (owner === undefined) return
    const ownerId = Rows.#id(kind, owner)
    const keys = this.#keysByOwner.get(ownerId)
    keys?.delete(key)
    if (keys?.size === 0) this.#keysByOwner.delete(ownerId)
  }

  /** The id is unambiguous, because kinds, keys and owners contain no line break. */
  static #id(kind: string, name: string): string {
    return `${kind}\n${name}`
  }
}

/**
 * Creates a store in memory. Its records are lost when the process ends, and other processes can't read them.
 *
 * @example
 * import { MemoryStore } from "latchkey/stores/memory"
 *
 * app.use(authMiddleware({ store: MemoryStore(), providers: [GitHub] }))
 */
export function MemoryStore({ now = Date.now }: MemoryStoreOptions = {}): OwnStore {
  const rows = new Rows(now)
  let lastVersion = 0
  const write = (row: Omit<Row, "version">): string => {
    const version = String(++lastVersion)
    rows.put({ ...row, version })
    return version
  }
  const store: OwnStore = {
    durable: false,
    async get(kind, key) {
      requireAddress(kind, "key", key)
      const row = rows.find(kind, key)
      return row ? toRecord(row) : null
    },
    async set(kind, key, record) {
      requireAddress(kind, "key", key)
      requireRecord(record)
      const { value, owner, expires, ifVersion } = record
      const found = rows.find(kind, key)
      if (ifVersion !== undefined && (found?.version ?? null) !== ifVersion) return null
      return write({ kind, key, value, ...(owner !== undefined && { owner }), expires: expires && new Date(expires) })
    },
    async delete(kind, key, ifVersion) {
      requireAddress(kind, "key", key)
      const found = rows.find(kind, key)
      if (ifVersion !== undefined && found?.version !== ifVersion) return false
      return rows.remove(kind, key)
    },
    async list(kind, owner, { limit, after } = { limit: DEFAULT_LIMIT }) {
      requireAddress(kind, "owner", owner)
      const found: StoreRecord[] = []
      for (const key of rows.listKeys(kind, owner)) {
        if (found.length >= limit) break
        const row = after === undefined || key > after ? rows.find(kind, key) : undefined
        if (row) found.push(toRecord(row))
      }
      return found
    },
    async increment(kind, key, window) {
      requireAddress(kind, "key", key)
      requireWindow(window)
      const { seconds, by = 1 } = window
      const found = rows.find(kind, key)
      const lengthMs = Math.round(seconds * 1000)
      // If the window ends later than a new window would, the clock was set back, or the window was shortened. The
      // counter then starts again.
      const current = found?.expires && found.expires.getTime() <= now() + lengthMs ? found : undefined
      const expires = current?.expires ?? new Date(now() + lengthMs)
      const count = Math.max(0, Number(current?.value ?? 0) + by)
      write({ kind, key, value: String(count), expires })
      return { count, resetsAt: new Date(expires) }
    },
    migrate: async () => undefined,
    deleteExpired: async () => rows.deleteExpired(),
    close: async () => undefined,
  }
  memoryStores.add(store)
  return store
}

import { createLruCache } from "../cache/lru-cache.js"
import type { TokenRecord, TokenRecords } from "./token-records.js"

/** How long a process uses cached records before it reads them again. */
const CACHE_MS = 30_000
const MAX_CACHED_OWNERS = 10_000

interface CachedList {
  readonly readAt: number
  readonly records: Promise<readonly TokenRecord[]>
}

interface ListsContext {
  readonly records: TokenRecords
  /** Logs the failure of a background task. */
  readonly log: (error: unknown) => void
}

/** Caches the token records of each owner for `CACHE_MS`. Writes old records again, see `TokenRecord.isOld`. */
export class TokenLists {
  readonly #context: ListsContext
  readonly #lists = createLruCache<CachedList>(MAX_CACHED_OWNERS)

  constructor(context: ListsContext) {
    this.#context = context
  }

  get(owner: string): Promise<readonly TokenRecord[]> {
    const cached = this.#lists.get(owner)
    if (cached && performance.now() - cached.readAt < CACHE_MS) return cached.records
    const list = { readAt: performance.now(), records: this.#load(owner) }
    this.#lists.set(owner, list)
    list.records.catch(() => this.#lists.get(owner) === list && this.#lists.delete(owner))
    return list.records
  }

  invalidate(owner: string): void {
    this.#lists.delete(owner)
  }

  /** Reads the records of an owner from the store, and writes old records again in the background. */
  async #load(owner: string): Promise<readonly TokenRecord[]> {
    const records = await this.#context.records.list(owner)
    for (const record of records) if (record.isOld && !record.tokens.isRevoked) this.#rewriteInBackground(record)
    return records
  }

  /** Writes a record again, unless it has changed or is being renewed. */
  #rewriteInBackground(record: TokenRecord): void {
    const { records, log } = this.#context
    if (record.tokens.lease === undefined) records.replace(record).catch(log)
  }
}

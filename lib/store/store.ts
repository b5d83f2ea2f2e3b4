/**
 * The store: small records that several processes share.
 *
 * An adapter holds users and accounts. Everything else that processes must agree on, such as limits and one-time ids,
 * is in a store.
 *
 * @module
 */

/** A stored record. */
export interface StoreRecord {
  /** The key, unique within its kind. */
  key: string
  /** The content, up to 64 kB. */
  value: string
  /** Changes with every write and never repeats. */
  version: string
  /** The owner under which `list` finds the record. */
  owner?: string
  /** When the record ends; null if it never does. */
  expires: Date | null
}

/** The record that `set` writes. */
export interface StoreWrite {
  /** The content, up to 64 kB. */
  value: string
  /** The owner under which `list` finds the record. */
  owner?: string | undefined
  /** When the record ends; null if it never does. */
  expires: Date | null
  /**
   * Without it the write overwrites any record. With null it only creates a record, and with a version it only replaces
   * the record of this version.
   */
  ifVersion?: string | null | undefined
}

/** A counter after `increment`. */
export interface StoreCounter {
  /** The count in this window. */
  count: number
  /** When the window ends and the count starts again from 0. */
  resetsAt: Date
}

/** Selects a page of a list. */
export interface StorePage {
  /** The maximum number of records to return. */
  limit: number
  /** The key of the last record of the previous page. */
  after?: string | undefined
}

/**
 * Records that several processes share, addressed by a kind and a key.
 *
 * Every operation sees all writes that have resolved. Records expire with a precision of milliseconds and are then
 * absent. A kind has up to 32 lower case letters, digits and hyphens. Keys and owners are printable ASCII of up to 200
 * characters, and are compared byte by byte. A failure of the store is thrown.
 *
 * `MemoryStore`, `SqlStore` and `RedisStore` implement it. `latchkey/stores/testing` tests other implementations.
 */
export interface Store {
  /** Returns a record, or null. @throws TypeError, like all operations, if a kind, key, owner or value is invalid */
  get(kind: string, key: string): Promise<StoreRecord | null>
  /**
   * Writes a record in one atomic step. Returns the new version, or null if the condition `ifVersion` was not met.
   *
   * @example
   * const isFirst = (await store.set("once", id, { value: "", expires, ifVersion: null })) !== null
   */
  set(kind: string, key: string, record: StoreWrite): Promise<string | null>
  /** Deletes a record or a counter, or only its given version. Returns true if it existed. */
  delete(kind: string, key: string, ifVersion?: string): Promise<boolean>
  /** Returns the records of an owner, ordered by key. @default { limit: 1000 } */
  list(kind: string, owner: string, page?: StorePage): Promise<StoreRecord[]>
  /**
   * Adds to a counter in one atomic step. The first call starts a window of the given seconds, at whose end the counter
   * is deleted. A negative `by` subtracts; a count is never below 0. @default by: 1
   */
  increment(kind: string, key: string, window: { seconds: number; by?: number }): Promise<StoreCounter>
  /** True if records remain until they expire. False for memory, and for a Redis server that evicts keys. */
  readonly durable: boolean
}

/** A store of this package. */
export interface OwnStore extends Store {
  /** Creates or updates the tables. It can be called repeatedly, and by several processes at once. */
  migrate(): Promise<void>
  /** Deletes expired records and returns their number. It also runs automatically. */
  deleteExpired(): Promise<number>
  /** Closes the connections that the store opened. A client passed by the application stays open. */
  close(): Promise<void>
}

/** The default `limit` of `list`. */
export const DEFAULT_LIMIT = 1_000

const KIND = /^[a-z][a-z\d-]{0,31}$/
const NAME = /^[\x20-\x7e]{1,200}$/
const MAX_VALUE_BYTES = 65_536

const formatForMessage = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : String(value)

/** @throws TypeError when a key or an owner is empty, longer than 200 characters or not printable ASCII */
function requireName(name: string, value: unknown): void {
  if (!(typeof value === "string" && NAME.test(value)))
    throw new TypeError(
      `the store's ${name} is ${formatForMessage(value)}: pass up to 200 characters of printable ASCII, or a hash`,
    )
}

/**
 * Checks the address of a record, or of an owner's list.
 *
 * @throws TypeError when the kind, or the key or owner, is invalid
 */
export function requireAddress(kind: unknown, name: "key" | "owner", value: unknown): void {
  if (!(typeof kind === "string" && KIND.test(kind)))
    throw new TypeError(
      `the store's kind is ${formatForMessage(kind)}: pass up to 32 lower case letters, digits and hyphens`,
    )
  requireName(name, value)
}

/**
 * Checks the content of a record.
 *
 * @throws TypeError when it is not a string of up to 64 kB, or the owner is invalid
 */
export function requireRecord({ value, owner, expires }: StoreWrite): void {
  if (typeof value !== "string" || Buffer.byteLength(value) > MAX_VALUE_BYTES)
    throw new TypeError("the store's value is not a string of up to 64 kB")
  if (value.includes("\0") || /\p{Surrogate}/u.test(value))
    throw new TypeError("the store's value has a NUL character or a lone surrogate: encode it as base64 or JSON")
  if (owner !== undefined) requireName("owner", owner)
  if (expires !== null && !(expires instanceof Date && !Number.isNaN(expires.getTime())))
    throw new TypeError("the store's expires is neither a valid Date nor null")
}

/**
 * Checks the window of a counter.
 *
 * @throws TypeError when the seconds are not positive or `by` is not an integer
 */
export function requireWindow({ seconds, by = 1 }: { seconds: number; by?: number }): void {
  if (!(Number.isFinite(seconds) && seconds > 0))
    throw new TypeError(`the window's seconds are ${formatForMessage(seconds)}: pass a positive number`)
  if (!Number.isSafeInteger(by)) throw new TypeError(`the window's by is ${formatForMessage(by)}: pass an integer`)
}

const OPERATIONS = ["get", "set", "delete", "list", "increment"] as const

/** True if the value has the operations of a store. */
export const isStore = (value: unknown): value is Store =>
  OPERATIONS.every((name) => typeof Reflect.get(Object(value), name) === "function")

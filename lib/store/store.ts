/**
 * The store, for state that several processes share.
 *
 * An adapter stores users and accounts. A store holds all other state that processes must share, such as rate limits,
 * one-time ids and the records of sessions.
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
  /** When the record expires; null if it never expires. */
  expires: Date | null
}

/** The record that `set` writes. */
export interface StoreWrite {
  /** The content, up to 64 kB. */
  value: string
  /** The owner under which `list` finds the record. */
  owner?: string | undefined
  /** When the record expires; null if it never expires. */
  expires: Date | null
  /**
   * The condition of the write. With a version, the write only replaces a record of this version. With `null`, it only
   * creates a record. If undefined, there is no condition, and the write overwrites any record.
   */
  ifVersion?: string | null | undefined
}

/** A counter after `increment`. */
export interface StoreCounter {
  /** The count in the current window. */
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
 * Stores records that several processes share. A kind and a key identify a record.
 *
 * An operation reflects all writes that resolved before it was called. A record becomes absent in the millisecond in
 * which it expires. A kind has up to 32 lower case letters, digits and hyphens, and begins with a letter. Keys and
 * owners have 1 to 200 characters of printable ASCII, and are compared byte by byte. An operation rejects if the store
 * fails.
 *
 * `MemoryStore`, `SqlStore` and `RedisStore` implement this interface. `latchkey/stores/testing` tests other
 * implementations.
 */
export interface Store {
  /**
   * Returns the record, or null if there is none.
   *
   * @throws TypeError if an argument is invalid. All operations check their kind, key, owner and value.
   */
  get(kind: string, key: string): Promise<StoreRecord | null>
  /**
   * Writes a record in one atomic step. Returns the new version, or null if the condition `ifVersion` was not met.
   *
   * @example
   * const isFirst = (await store.set("once", id, { value: "", expires, ifVersion: null })) !== null
   */
  set(kind: string, key: string, record: StoreWrite): Promise<string | null>
  /** Deletes a record or a counter, with `ifVersion` only a record of this version. Returns true if it was deleted. */
  delete(kind: string, key: string, ifVersion?: string): Promise<boolean>
  /** Returns the records of an owner, ordered by key. @default page: { limit: 1000 } */
  list(kind: string, owner: string, page?: StorePage): Promise<StoreRecord[]>
  /**
   * Adds `by` to a counter in one atomic step and returns the counter. The first call starts a window of `seconds`.
   * When the window ends, the counter is deleted. A negative `by` subtracts, but the count is never below 0.
   *
   * @default by: 1
   */
  increment(kind: string, key: string, window: { seconds: number; by?: number }): Promise<StoreCounter>
  /** True if the store keeps records until they expire. False for memory, and for a Redis server that evicts keys. */
  readonly durable: boolean
}

/** A store of this package. */
export interface OwnStore extends Store {
  /** Creates or updates the tables. It can be called repeatedly, and by several processes at once. */
  migrate(): Promise<void>
  /** Deletes expired records and returns their number. The store also deletes them automatically. */
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

/** @throws TypeError if a key or an owner is empty, longer than 200 characters or not printable ASCII */
function requireName(name: string, value: unknown): void {
  if (!(typeof value === "string" && NAME.test(value)))
    throw new TypeError(
      `the store's ${name} is ${formatForMessage(value)}: pass 1 to 200 characters of printable ASCII, for example a hash`,
    )
}

/**
 * Checks the kind of a record together with its key or its owner.
 *
 * @throws TypeError if one of them is invalid
 */
export function requireAddress(kind: unknown, name: "key" | "owner", value: unknown): void {
  if (!(typeof kind === "string" && KIND.test(kind)))
    throw new TypeError(
      `the store's kind is ${formatForMessage(kind)}: pass up to 32 lower case letters, digits and hyphens, beginning with a letter`,
    )
  requireName(name, value)
}

/**
 * Checks the record that `set` writes.
 *
 * @throws TypeError if the value is not a string of up to 64 kB, or contains a NUL character or a lone surrogate, or if
 * the owner or the expiry is invalid
 */
export function requireRecord({ value, owner, expires }: StoreWrite): void {
  if (typeof value !== "string" || Buffer.byteLength(value) > MAX_VALUE_BYTES)
    throw new TypeError("the store's value is not a string of up to 64 kB")
  if (value.includes("\0") || /\p{Surrogate}/u.test(value))
    throw new TypeError("the store's value contains a NUL character or a lone surrogate: encode it as base64 or JSON")
  if (owner !== undefined) requireName("owner", owner)
  if (expires !== null && !(expires instanceof Date && !Number.isNaN(expires.getTime())))
    throw new TypeError("the store's expires is neither a valid Date nor null")
}

/**
 * Checks the arguments of `increment`.
 *
 * @throws TypeError if the seconds are not positive or `by` is not an integer
 */
export function requireWindow({ seconds, by = 1 }: { seconds: number; by?: number }): void {
  if (!(Number.isFinite(seconds) && seconds > 0))
    throw new TypeError(
      `the argument "seconds" of store.increment is ${formatForMessage(seconds)}: pass a positive number`,
    )
  if (!Number.isSafeInteger(by))
    throw new TypeError(`the argument "by" of store.increment is ${formatForMessage(by)}: pass an integer`)
}

const OPERATIONS = ["get", "set", "delete", "list", "increment"] as const

/** True if the value has all methods of a store. */
export const isStore = (value: unknown): value is Store =>
  OPERATIONS.every((name) => typeof Reflect.get(Object(value), name) === "function")

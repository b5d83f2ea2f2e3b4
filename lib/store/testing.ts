/**
 * Tests of the behaviour that a store must have, for any test runner.
 *
 * @module
 */

import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import type { Awaitable } from "../base/awaitable.js"
import type { Store, StoreRecord } from "./store.js"

/** A store for one test case. It need not be empty, because every case uses its own keys. */
export interface StoreFixture {
  /** The store under test. */
  store: Store
  /** Called after the case, whether it passed or failed. */
  close?(): Awaitable<void>
}

/** The options of the store tests. */
export interface StoreTestOptions {
  /** Creates or opens the store for one test case. */
  create(): Awaitable<StoreFixture>
}

/** A test case, for runners other than those that `testStore` accepts. */
export interface StoreTestCase {
  /** What the case tests. */
  readonly name: string
  /** Runs the case. Rejects if the store does not behave as required. */
  run(): Promise<void>
}

/** A function that defines a test, such as `it` of Jest, Vitest, Mocha or `node:test`. */
export type DefineStoreTest = (name: string, run: () => Promise<void>) => unknown

type Check = (store: Store) => Promise<void>

const uniqueName = (): string => randomBytes(12).toString("base64url")
/**
 * Returns the keys of records in an array of this realm. A test runner may run the store in another realm, and
 * `deepEqual` does not accept the arrays of another realm.
 */
const toKeys = (records: readonly StoreRecord[]): string[] => Array.from(records, ({ key }) => key)
const dateInMs = (ms: number): Date => new Date(Date.now() + ms)
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const HOUR_MS = 3_600_000
const CALLERS = 50

const callConcurrently = <T>(call: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: CALLERS }, (_, index) => call(index)))

const CASES: Readonly<Record<string, Check>> = {
  async "get returns null for an absent record"(store) {
    assert.equal(await store.get("test", uniqueName()), null)
  },

  async "get returns what set wrote"(store) {
    const [key, owner] = [uniqueName(), uniqueName()]
    const expires = dateInMs(HOUR_MS)
    const value = '{"text":"äöü 漢字 🔑 \\\\ \' \\" \\n"}'
    const version = await store.set("test", key, { value, owner, expires })
    assert.equal(typeof version, "string", "set returns the new version")
    assert.deepEqual({ ...(await store.get("test", key)) }, { key, value, version, owner, expires })
  },

  async "a record can have no owner, no expiry and no content"(store) {
    const key = uniqueName()
    const version = await store.set("test", key, { value: "", expires: null })
    assert.deepEqual({ ...(await store.get("test", key)) }, { key, value: "", version, expires: null })
  },

  async "keys are compared byte by byte, and kinds are separate"(store) {
    const key = `${uniqueName()} a:b%_*[é`.replace("é", "e")
    await store.set("test", key, { value: "1", expires: null })
    for (const similarKey of [key.toUpperCase(), `${key} `, key.slice(0, -1)])
      assert.equal(await store.get("test", similarKey), null)
    assert.equal(await store.get("other", key), null)
  },

  async "keys of 200 characters and values of 64 kB are stored"(store) {
    const key = uniqueName().padEnd(200, "~")
    const value = "ä".repeat(32_768)
    await store.set("test", key, { value, owner: key, expires: dateInMs(HOUR_MS) })
    assert.equal((await store.get("test", key))?.value, value)
    assert.equal((await store.list("test", key)).length, 1)
  },

  async "invalid kinds, keys, owners and values are rejected"(store) {
    const write = { value: "", expires: null }
    const invalid: [string, string, object][] = [
      ["test", "", write],
      ["test", "x".repeat(201), write],
      ["test", "line\nbreak", write],
      ["test", "ümlaut", write],
      ["a:b", "key", write],
      ["test", "key", { ...write, owner: "" }],
      ["test", "key", { ...write, value: "x".repeat(65_537) }],
      ["test", "key", { ...write, value: "\0" }],
      ["test", "key", { ...write, expires: new Date(Number.NaN) }],
    ]
    for (const [kind, key, record] of invalid)
      await assert.rejects(async () => store.set(kind, key, record as typeof write), TypeError)
  },

  async "a record is absent once it has expired"(store) {
    const [key, owner] = [uniqueName(), uniqueName()]
    await store.set("test", key, { value: "", owner, expires: dateInMs(300) })
    assert.notEqual(await store.get("test", key), null)
    await pause(350)
    assert.equal(await store.get("test", key), null)
    assert.equal((await store.list("test", owner)).length, 0)
    assert.equal(await store.delete("test", key), false)
    assert.notEqual(await store.set("test", key, { value: "new", expires: null, ifVersion: null }), null)
    assert.equal((await store.get("test", key))?.value, "new")
  },

  async "set with ifVersion null only creates"(store) {
    const key = uniqueName()
    const write = { value: "first", expires: dateInMs(HOUR_MS), ifVersion: null }
    assert.notEqual(await store.set("test", key, write), null)
    assert.equal(await store.set("test", key, { ...write, value: "second" }), null)
    assert.equal((await store.get("test", key))?.value, "first")
    assert.equal(await store.delete("test", key), true)
    assert.notEqual(await store.set("test", key, write), null)
  },

  async "set with a version only replaces that version"(store) {
    const key = uniqueName()
    const first = await store.set("test", key, { value: "1", expires: null })
    const second = await store.set("test", key, { value: "2", expires: null, ifVersion: first })
    assert.notEqual(second, null)
    assert.notEqual(second, first)
    assert.equal(await store.set("test", key, { value: "3", expires: null, ifVersion: first }), null)
    assert.equal(await store.set("test", uniqueName(), { value: "3", expires: null, ifVersion: second }), null)
    assert.equal((await store.get("test", key))?.value, "2")
  },

  async "versions never repeat"(store) {
    const key = uniqueName()
    const versions: (string | null)[] = []
    for (let round = 0; round < 5; round++) {
      versions.push(await store.set("test", key, { value: "same", expires: null }))
      if (round === 2) await store.delete("test", key)
    }
    assert.equal(new Set(versions).size, 5)
  },

  async "delete returns whether the record existed"(store) {
    const key = uniqueName()
    assert.equal(await store.delete("test", key), false)
    const version = await store.set("test", key, { value: "", expires: null })
    assert.equal(await store.delete("test", key, "another"), false)
    assert.equal(await store.delete("test", key, version ?? ""), true)
    assert.equal(await store.get("test", key), null)
  },

  async "list returns an owner's records by key, in pages"(store) {
    const [owner, prefix] = [uniqueName(), uniqueName()]
    const keys = ["B", "a", "C", "b", "1"].map((name) => `${prefix}${name}`)
    for (const key of keys) await store.set("test", key, { value: key, owner, expires: dateInMs(HOUR_MS) })
    await store.set("test", `${prefix}d`, { value: "", owner: uniqueName(), expires: null })
    await store.set("other", `${prefix}e`, { value: "", owner, expires: null })
    const sorted = [...keys].sort()
    assert.deepEqual(toKeys(await store.list("test", owner)), sorted)
    const first = await store.list("test", owner, { limit: 2 })
    assert.deepEqual(toKeys(first), sorted.slice(0, 2))
    const rest = await store.list("test", owner, { limit: 10, after: first.at(-1)?.key })
    assert.deepEqual(toKeys(rest), sorted.slice(2))
  },

  async "list follows deletions and changes of the owner"(store) {
    const [key, deletedKey] = [uniqueName(), uniqueName()]
    const [oldOwner, newOwner] = [uniqueName(), uniqueName()]
    await store.set("test", deletedKey, { value: "", owner: oldOwner, expires: null })
    await store.set("test", key, { value: "", owner: oldOwner, expires: dateInMs(HOUR_MS) })
    await store.delete("test", deletedKey)
    await store.set("test", key, { value: "", owner: newOwner, expires: null })
    assert.equal((await store.list("test", oldOwner)).length, 0)
    assert.deepEqual(toKeys(await store.list("test", newOwner)), [key])
  },

  async "increment counts up and down, never below 0"(store) {
    const key = uniqueName()
    const seconds = 60
    const before = Date.now()
    const first = await store.increment("test", key, { seconds })
    assert.equal(first.count, 1)
    const remainingMs = first.resetsAt.getTime() - before
    assert.ok(remainingMs > 55_000 && remainingMs < 65_000, "the window ends `seconds` after the first increment")
    assert.equal((await store.increment("test", key, { seconds, by: 4 })).count, 5)
    const last = await store.increment("test", key, { seconds, by: -1 })
    assert.equal(last.count, 4)
    assert.ok(Math.abs(last.resetsAt.getTime() - first.resetsAt.getTime()) < 1_000, "the window does not move")
    assert.equal((await store.increment("test", key, { seconds, by: -10 })).count, 0)
    assert.equal(await store.delete("test", key), true)
    assert.equal((await store.increment("test", key, { seconds })).count, 1)
  },

  async "a counter starts again when its window has ended"(store) {
    const key = uniqueName()
    assert.equal((await store.increment("test", key, { seconds: 0.3, by: 7 })).count, 7)
    await pause(350)
    assert.equal((await store.increment("test", key, { seconds: 60 })).count, 1)
  },

  async "50 concurrent creations have one winner"(store) {
    const key = uniqueName()
    const results = await callConcurrently((index) =>
      store.set("test", key, { value: String(index), expires: dateInMs(HOUR_MS), ifVersion: null }),
    )
    const winners = results.filter((version) => version !== null)
    assert.equal(winners.length, 1)
    assert.equal((await store.get("test", key))?.version, winners[0])
  },

  async "50 concurrent creations over an expired record have one winner"(store) {
    const key = uniqueName()
    await store.set("test", key, { value: "old", expires: dateInMs(100) })
    await pause(150)
    const results = await callConcurrently(() =>
      store.set("test", key, { value: "new", expires: null, ifVersion: null }),
    )
    assert.equal(results.filter((version) => version !== null).length, 1)
  },

  async "50 concurrent replacements of one version have one winner"(store) {
    const key = uniqueName()
    const ifVersion = await store.set("test", key, { value: "", expires: null })
    const results = await callConcurrently((index) =>
      store.set("test", key, { value: String(index), expires: null, ifVersion }),
    )
    assert.equal(results.filter((version) => version !== null).length, 1)
  },

  async "50 concurrent deletions of one version have one winner"(store) {
    const key = uniqueName()
    const version = await store.set("test", key, { value: "", expires: null })
    const results = await callConcurrently(() => store.delete("test", key, version ?? ""))
    assert.equal(results.filter(Boolean).length, 1)
  },

  async "50 concurrent read-and-replace loops lose no update"(store) {
    const key = uniqueName()
    await store.set("test", key, { value: "0", expires: null })
    const addOne = async (): Promise<void> => {
      const record = await store.get("test", key)
      const value = String(Number(record?.value) + 1)
      const version = await store.set("test", key, { value, expires: null, ifVersion: record?.version })
      if (version === null) await addOne()
    }
    await callConcurrently(addOne)
    assert.equal((await store.get("test", key))?.value, String(CALLERS))
  },

  async "concurrent increments succeed while the counter is deleted"(store) {
    const key = uniqueName()
    const results = await callConcurrently(async () => {
      const { count } = await store.increment("test", key, { seconds: 60 })
      await store.delete("test", key)
      return count
    })
    assert.ok(results.every((count) => count >= 1 && count <= results.length))
  },

  async "50 concurrent increments are all counted"(store) {
    const key = uniqueName()
    const results = await callConcurrently(() => store.increment("test", key, { seconds: 60 }))
    const counts = results.map(({ count }) => count).sort((a, b) => a - b)
    assert.deepEqual(
      counts,
      Array.from({ length: CALLERS }, (_, index) => index + 1),
    )
  },
}

/** Returns the test cases, for runners other than those that `testStore` accepts. */
export const storeCases = ({ create }: StoreTestOptions): StoreTestCase[] =>
  Object.entries(CASES).map(([name, check]) => ({
    name,
    async run() {
      const { store, close } = await create()
      try {
        await check(store)
      } finally {
        await close?.()
      }
    },
  }))

/**
 * Tests a store with a test runner.
 *
 * @example
 * import { testStore } from "latchkey/stores/testing"
 *
 * describe("MyStore", () => testStore(it, { create: () => ({ store: MyStore(pool) }) }))
 */
export function testStore(define: DefineStoreTest, options: StoreTestOptions): void {
  for (const { name, run } of storeCases(options)) define(name, run)
}

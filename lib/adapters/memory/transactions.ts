import { types } from "node:util"
import type { OwnStore } from "../../store/store.js"
import type { Adapter, BuiltInAdapter } from "../adapter.js"
import { ADAPTER_METHODS } from "../bind.js"
import { NestedTransactions, type TransactionScope } from "../nested-transactions.js"
import type { MemoryRows, RowMethods } from "./rows.js"
import { TransactionLock } from "./transaction-lock.js"

/**
 * Returns a deep copy without undefined members.
 *
 * Does not use `structuredClone`: under Jest it creates dates of another realm, for which `instanceof Date` is false.
 */
function copyRecord<T>(value: T): T
function copyRecord(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (types.isDate(value)) return new Date(value.getTime())
  if (Array.isArray(value)) return value.map((item: unknown) => copyRecord(item))
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, copyRecord(member)]))
}

/** Runs a call after the calls and transactions for which it must wait. Rejects if the call's transaction has ended. */
type CallGuard = (work: () => unknown) => Promise<unknown>

/**
 * Returns adapter methods that run the methods of `rows` through `guard`. Arguments and results are copied, so that
 * callers cannot change stored rows.
 */
function guardedMethods(rows: RowMethods, guard: CallGuard): Omit<Required<Adapter>, "transaction"> {
  const methods = ADAPTER_METHODS.map((name) => {
    // The wrapper is the same for all methods, so the types of their parameters are not needed here.
    const method = rows[name as keyof RowMethods] as (...args: unknown[]) => unknown
    const call = (...args: unknown[]) => {
      const copies = copyRecord(args)
      return guard(() => copyRecord(method.apply(rows, copies)))
    }
    return [name, call] as const
  })
  return { ...Object.fromEntries(methods), keepsVerifiedEmail: true } as unknown as Omit<
    Required<Adapter>,
    "transaction"
  >
}

/** Runs the work. If it fails, restores the rows as they were before. */
async function withRollback<T>(rows: MemoryRows, work: () => Promise<T>): Promise<T> {
  const saved = rows.save()
  try {
    return await work()
  } catch (error) {
    rows.restore(saved)
    throw error
  }
}

/** Runs transactions and nested transactions, and creates the adapter that their work receives. */
class MemoryTransactions {
  readonly #rows: MemoryRows
  readonly #transactions = new NestedTransactions()

  constructor(rows: MemoryRows) {
    this.#rows = rows
  }

  /** Runs a call on the adapter itself. Within a transaction, the call waits for the transaction's previous calls. */
  call(work: () => unknown): unknown {
    const scope = this.#transactions.current
    return scope ? this.#transactions.enqueue(scope, work) : work()
  }

  /** Runs the work in a transaction, which is nested if the caller is in a transaction. */
  run<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
    const scope = this.#transactions.current
    return scope ? this.#transactions.enqueue(scope, () => this.#start(work)) : this.#start(work)
  }

  #start<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
    return withRollback(this.#rows, () => this.#transactions.runInNewScope((scope) => work(this.#createAdapter(scope))))
  }

  /** Creates the adapter for a transaction's work. */
  #createAdapter(scope: TransactionScope): Required<Adapter> {
    return {
      ...guardedMethods(this.#rows, (work) => this.#transactions.enqueue(scope, work)),
      transaction: (work) => this.#transactions.enqueueNested(scope, () => this.#start(work)),
    }
  }
}

/** Creates the memory adapter on the given rows. It runs one transaction at a time. */
export function createMemoryAdapter(rows: MemoryRows, store: OwnStore): BuiltInAdapter {
  const [lock, transactions] = [new TransactionLock(), new MemoryTransactions(rows)]
  return {
    ...guardedMethods(rows, (work) => lock.shared(() => transactions.call(work))),
    transaction: (work) => lock.exclusive(() => transactions.run(work)),
    store,
    migrate: async () => undefined,
    deleteExpired: async () => (await lock.shared(() => rows.deleteExpired())) + (await store.deleteExpired()),
    close: async () => undefined,
  }
}

import { types } from "node:util"
import type { OwnStore } from "../../store/store.js"
import type { Adapter, OwnAdapter } from "../adapter.js"
import { ADAPTER_METHODS } from "../bind.js"
import { type NestedTransaction, NestedTransactions } from "../nested-transactions.js"
import type { MemoryRows, RowMethods } from "./rows.js"
import { TransactionLock } from "./transaction-lock.js"

/**
 * A deep copy without undefined members.
 *
 * Under Jest, `structuredClone` creates dates of another realm, for which `instanceof Date` is false.
 */
function copyRecord<T>(value: T): T
function copyRecord(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (types.isDate(value)) return new Date(value.getTime())
  if (Array.isArray(value)) return value.map((item: unknown) => copyRecord(item))
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, copyRecord(member)]))
}

type CallGuard = (work: () => unknown) => Promise<unknown>

/** Runs the rows' methods through a lock and copies arguments and results, so that callers cannot change rows. */
function guardedMethods(rows: RowMethods, guard: CallGuard): Omit<Required<Adapter>, "transaction"> {
  const methods = ADAPTER_METHODS.map((name) => {
    // Each method has the type of the method that it calls; this function works with any.
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

/** Runs the work and restores the previous state if it fails. */
async function withRollback<T>(rows: MemoryRows, work: () => Promise<T>): Promise<T> {
  const saved = rows.save()
  try {
    return await work()
  } catch (error) {
    rows.restore(saved)
    throw error
  }
}

/** The nested transactions over rows: the adapter that each work function receives. */
class MemoryTransactions {
  readonly #rows: MemoryRows
  readonly #transactions = new NestedTransactions()

  constructor(rows: MemoryRows) {
    this.#rows = rows
  }

  /** Runs a call in order if it is made in a nested transaction, otherwise immediately. */
  call(work: () => unknown): unknown {
    const scope = this.#transactions.current
    return scope ? this.#transactions.enqueue(scope, work) : work()
  }

  /** Runs a transaction's work; nested if it is called within a transaction. */
  run<T>(work: (adapter: Required<Adapter>) => Promise<T>, isOver: () => boolean): Promise<T> {
    const scope = this.#transactions.current
    return scope ? this.#enqueueNested(scope, work, isOver) : this.#startNested(work, isOver)
  }

  #enqueueNested<T>(
    scope: NestedTransaction,
    work: (adapter: Required<Adapter>) => Promise<T>,
    isOver: () => boolean,
  ): Promise<T> {
    return this.#transactions.enqueue(this.#transactions.current ?? scope, () => this.#startNested(work, isOver))
  }

  #startNested<T>(work: (adapter: Required<Adapter>) => Promise<T>, isOver: () => boolean): Promise<T> {
    return withRollback(this.#rows, () => this.#transactions.start((scope) => work(this.#adapterIn(scope, isOver))))
  }

  /** The adapter for a transaction's work. Its methods throw after the transaction has ended. */
  #adapterIn(scope: NestedTransaction, isOver: () => boolean): Required<Adapter> {
    const requireOpen = () => {
      if (isOver()) throw new Error("this transaction has ended: await every call made in it")
    }
    const guard: CallGuard = async (work) => {
      requireOpen()
      return this.#transactions.enqueue(scope, work)
    }
    return {
      ...guardedMethods(this.#rows, guard),
      transaction: async (work) => {
        requireOpen()
        return this.#enqueueNested(scope, work, isOver)
      },
    }
  }
}

/** An adapter over rows in memory that runs one transaction at a time. */
export function createMemoryAdapter(rows: MemoryRows, store: OwnStore): OwnAdapter {
  const [lock, transactions] = [new TransactionLock(), new MemoryTransactions(rows)]
  return {
    ...guardedMethods(rows, (work) => lock.shared(() => transactions.call(work))),
    transaction: (work) => lock.exclusive((isOver) => transactions.run(work, isOver)),
    store,
    migrate: async () => undefined,
    deleteExpired: async () => (await lock.shared(() => rows.deleteExpired())) + (await store.deleteExpired()),
    close: async () => undefined,
  }
}

/**
 * Runs transactions and nested transactions.
 *
 * If the work of a transaction calls the adapter itself instead of the adapter that it received, the call also belongs
 * to the transaction. Otherwise, on SQLite, the call would wait forever for the only connection, which the transaction
 * holds.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks"
import { executeSql } from "../../store/sql/connection.js"
import { retryWhileBusy } from "../../store/sql/driver-errors.js"
import type { Adapter } from "../adapter.js"
import { TRANSACTION_ENDED } from "../nested-transactions.js"
import { delegateAll, type SqlMethods } from "./methods.js"
import type { SqlConnection } from "./tables.js"

type Work<T> = (adapter: Required<Adapter>) => Promise<T>

/** The scope of a transaction or of a nested transaction, which can be rolled back separately. */
interface Scope {
  readonly connection: SqlConnection
  readonly methods: SqlMethods
  /** 1 for a transaction, 2 or more for a nested transaction. */
  readonly depth: number
  isOpen: boolean
  /**
   * Settles when the most recent call of this scope has ended. Calls run one after another: if they ran concurrently,
   * the rollback of a nested transaction would also undo the writes of other calls.
   */
  last: Promise<unknown>
}

export class Transactions {
  readonly #root: SqlConnection
  readonly #createMethods: (connection: SqlConnection) => SqlMethods
  readonly #rootMethods: SqlMethods
  readonly #scopes = new AsyncLocalStorage<Scope | undefined>()

  constructor(root: SqlConnection, createMethods: (connection: SqlConnection) => SqlMethods) {
    this.#root = root
    this.#createMethods = createMethods
    this.#rootMethods = createMethods(root)
  }

  /** Runs a call in the caller's transaction or, if there is none, directly on the database. */
  call(work: (methods: SqlMethods) => Promise<unknown>): Promise<unknown> {
    const scope = this.#scope
    return scope ? this.#enqueue(scope, () => work(scope.methods)) : work(this.#rootMethods)
  }

  /** Runs the work on the connection of the caller's transaction or, if there is none, of the database. */
  withConnection<T>(work: (connection: SqlConnection) => Promise<T>): Promise<T> {
    const scope = this.#scope
    return scope ? this.#enqueue(scope, () => work(scope.connection)) : work(this.#root)
  }

  /** True if the caller is in a transaction. */
  get isInTransaction(): boolean {
    return this.#scope !== undefined
  }

  get #scope(): Scope | undefined {
    const scope = this.#scopes.getStore()
    return scope?.isOpen ? scope : undefined
  }

  /** Runs a function outside of the caller's transaction. */
  runOutside<T>(work: () => T): T {
    return this.#scopes.run(undefined, work)
  }

  /** Runs the work in a transaction, which is nested if the caller is in a transaction. */
  async run<T>(work: Work<T>): Promise<T> {
    const outer = this.#scope
    return outer ? this.#runNested(outer, work) : this.#begin(work)
  }

  #runNested<T>(outer: Scope, work: Work<T>): Promise<T> {
    return this.#enqueue(outer, () => this.#savepoint(outer, work))
  }

  /**
   * Runs a call of `scope` after the previous calls of `scope`. If the caller is in a transaction nested in `scope`,
   * the call runs immediately: `scope` waits for the nested transaction, so waiting for `scope` would be a deadlock.
   */
  #enqueue<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
    if (this.#scope !== scope) return work()
    const result = scope.last.then(work)
    scope.last = result.catch(() => {})
    return result
  }

  #begin<T>(work: Work<T>): Promise<T> {
    let hasStarted = false
    const attempt = () =>
      this.#root.db.transaction().execute((db) => {
        hasStarted = true
        return this.#runInScope({ ...this.#root, db }, 1, work)
      })
    // Only the start of the transaction is retried. After the work has started, it is never run again.
    return retryWhileBusy(attempt, () => !hasStarted)
  }

  async #savepoint<T>({ connection, depth }: Scope, work: Work<T>): Promise<T> {
    const name = `latchkey_${depth}`
    await executeSql(connection, `savepoint ${name}`)
    try {
      const result = await this.#runInScope(connection, depth + 1, work)
      await executeSql(connection, `release savepoint ${name}`)
      return result
    } catch (error) {
      // If this rollback also fails, its error is thrown instead of the error of the work.
      await executeSql(connection, `rollback to savepoint ${name}`)
      throw error
    }
  }

  async #runInScope<T>(connection: SqlConnection, depth: number, work: Work<T>): Promise<T> {
    const scope: Scope = {
      connection,
      depth,
      methods: this.#createMethods(connection),
      isOpen: true,
      last: Promise.resolve(),
    }
    try {
      return await this.#scopes.run(scope, () => work(this.#createAdapter(scope)))
    } finally {
      scope.isOpen = false
      // A call that was not awaited must not continue after the connection was returned to the pool.
      await scope.last
    }
  }

  #createAdapter(scope: Scope): Required<Adapter> {
    const requireOpen = () => {
      if (!scope.isOpen) throw new Error(TRANSACTION_ENDED)
    }
    return {
      ...delegateAll(async (call) => {
        requireOpen()
        return this.#enqueue(scope, () => call(scope.methods))
      }),
      transaction: async (work) => {
        requireOpen()
        return this.#runNested(this.#scope ?? scope, work)
      },
    }
  }
}

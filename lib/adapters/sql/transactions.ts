/**
 * Transactions.
 *
 * If the work of a transaction calls the adapter itself instead of the transaction's adapter, the call also belongs to
 * the transaction. SQLite has only one connection, which the work holds, so the call would otherwise wait forever.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks"
import { run } from "../../store/sql/connection.js"
import { retryWhileBusy } from "../../store/sql/driver-errors.js"
import type { Adapter } from "../adapter.js"
import { delegateAll, type SqlMethods } from "./methods.js"
import type { SqlConnection } from "./tables.js"

type Work<T> = (adapter: Required<Adapter>) => Promise<T>

/** A transaction, or a nested one that can be rolled back alone. */
interface Scope {
  readonly connection: SqlConnection
  readonly methods: SqlMethods
  readonly depth: number
  isOpen: boolean
  /** The calls of one scope run in order. Otherwise a failing nested transaction would roll back concurrent writes. */
  last: Promise<unknown>
}

export class Transactions {
  readonly #root: SqlConnection
  readonly #methodsOn: (connection: SqlConnection) => SqlMethods
  readonly #rootMethods: SqlMethods
  readonly #scopes = new AsyncLocalStorage<Scope | undefined>()

  constructor(root: SqlConnection, methodsOn: (connection: SqlConnection) => SqlMethods) {
    this.#root = root
    this.#methodsOn = methodsOn
    this.#rootMethods = methodsOn(root)
  }

  /** Runs a call in the caller's transaction, otherwise on the database. */
  call(work: (methods: SqlMethods) => Promise<unknown>): Promise<unknown> {
    const scope = this.#scope
    return scope ? this.#enqueue(scope, () => work(scope.methods)) : work(this.#rootMethods)
  }

  /** Runs work on the connection of the caller's transaction, otherwise on the database. */
  on<T>(work: (connection: SqlConnection) => Promise<T>): Promise<T> {
    const scope = this.#scope
    return scope ? this.#enqueue(scope, () => work(scope.connection)) : work(this.#root)
  }

  /** Whether the caller is in a transaction. */
  get isWithin(): boolean {
    return this.#scope !== undefined
  }

  get #scope(): Scope | undefined {
    const scope = this.#scopes.getStore()
    return scope?.isOpen ? scope : undefined
  }

  /** Runs a function outside of the caller's transaction. */
  outside<T>(work: () => T): T {
    return this.#scopes.run(undefined, work)
  }

  async run<T>(work: Work<T>): Promise<T> {
    const outer = this.#scope
    return outer ? this.#nested(outer, work) : this.#begin(work)
  }

  #nested<T>(outer: Scope, work: Work<T>): Promise<T> {
    return this.#enqueue(outer, () => this.#savepoint(outer, work))
  }

  /** A nested transaction's calls on the outer adapters run immediately, to avoid a deadlock. */
  #enqueue<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
    if (this.#scope !== scope) return work()
    const done = scope.last.then(work)
    scope.last = done.catch(() => {})
    return done
  }

  #begin<T>(work: Work<T>): Promise<T> {
    let hasStarted = false
    const attempt = () =>
      this.#root.db.transaction().execute((db) => {
        hasStarted = true
        return this.#within({ ...this.#root, db }, 1, work)
      })
    // The work is never retried; only the start of the transaction is.
    return retryWhileBusy(attempt, () => !hasStarted)
  }

  async #savepoint<T>({ connection, depth }: Scope, work: Work<T>): Promise<T> {
    const name = `latchkey_${depth}`
    await run(connection, `savepoint ${name}`)
    try {
      const result = await this.#within(connection, depth + 1, work)
      await run(connection, `release savepoint ${name}`)
      return result
    } catch (error) {
      // If the rollback fails, the whole transaction fails.
      await run(connection, `rollback to savepoint ${name}`)
      throw error
    }
  }

  async #within<T>(connection: SqlConnection, depth: number, work: Work<T>): Promise<T> {
    const scope: Scope = {
      connection,
      depth,
      methods: this.#methodsOn(connection),
      isOpen: true,
      last: Promise.resolve(),
    }
    try {
      return await this.#scopes.run(scope, () => work(this.#adapterIn(scope)))
    } finally {
      scope.isOpen = false
      // A call that was not awaited must not continue after the connection was returned to the pool.
      await scope.last
    }
  }

  #adapterIn(scope: Scope): Required<Adapter> {
    const requireOpen = () => {
      if (!scope.isOpen) throw new Error("the transaction of this adapter has ended: use the adapter itself")
    }
    return {
      ...delegateAll(async (call) => {
        requireOpen()
        return this.#enqueue(scope, () => call(scope.methods))
      }),
      transaction: async (work) => {
        requireOpen()
        return this.#nested(this.#scope ?? scope, work)
      },
    }
  }
}

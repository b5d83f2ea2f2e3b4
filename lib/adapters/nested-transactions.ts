import { AsyncLocalStorage } from "node:async_hooks"

/** The work of a transaction, or of a nested transaction that can be rolled back alone. */
export interface NestedTransaction {
  /** Settles when the last call in it ends. */
  last: Promise<unknown>
  isOver: boolean
}

/**
 * Runs the calls and nested transactions of a transaction in order. Otherwise a failing nested transaction would roll
 * back concurrent writes.
 */
export class NestedTransactions {
  readonly #inside = new AsyncLocalStorage<NestedTransaction>()

  /** The (nested) transaction of the caller. */
  get current(): NestedTransaction | undefined {
    const scope = this.#inside.getStore()
    return scope?.isOver ? undefined : scope
  }

  /** Runs work as a nested transaction and waits for all of its calls. */
  async start<T>(work: (scope: NestedTransaction) => Promise<T>): Promise<T> {
    const scope: NestedTransaction = { last: Promise.resolve(), isOver: false }
    try {
      return await this.#inside.run(scope, () => work(scope))
    } finally {
      scope.isOver = true
      await scope.last
    }
  }

  /**
   * Runs a call of a transaction after the previous ones. A call from a nested transaction runs immediately, because the
   * outer call waits for it.
   */
  async enqueue<T>(scope: NestedTransaction, work: () => T | Promise<T>): Promise<T> {
    if (this.current !== scope) return work()
    const done = scope.last.then(work)
    scope.last = done.catch(() => {})
    return done
  }
}

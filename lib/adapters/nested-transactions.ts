import { AsyncLocalStorage } from "node:async_hooks"

/** A running transaction, or a transaction nested in it that can be rolled back separately. */
export interface NestedTransaction {
  /** Settles when the most recent call of this transaction has ended. */
  last: Promise<unknown>
  /** True after the work of this transaction has ended. */
  isOver: boolean
}

/**
 * Runs the calls and nested transactions of one transaction one after another. If they ran concurrently, the rollback
 * of a nested transaction would also undo the writes of other calls.
 */
export class NestedTransactions {
  readonly #scopes = new AsyncLocalStorage<NestedTransaction>()

  /** The innermost transaction that the caller runs in; undefined outside of a transaction or after its end. */
  get current(): NestedTransaction | undefined {
    const scope = this.#scopes.getStore()
    return scope?.isOver ? undefined : scope
  }

  /** Runs the work in a new (nested) transaction. Then waits for calls that the work did not await. */
  async start<T>(work: (scope: NestedTransaction) => Promise<T>): Promise<T> {
    const scope: NestedTransaction = { last: Promise.resolve(), isOver: false }
    try {
      return await this.#scopes.run(scope, () => work(scope))
    } finally {
      scope.isOver = true
      await scope.last
    }
  }

  /**
   * Runs a call of `scope` after the previous calls of `scope`. If the caller is in a transaction nested in `scope`,
   * the call runs immediately: `scope` waits for the nested transaction, so waiting for `scope` would be a deadlock.
   */
  async enqueue<T>(scope: NestedTransaction, work: () => T | Promise<T>): Promise<T> {
    if (this.current !== scope) return work()
    const result = scope.last.then(work)
    scope.last = result.catch(() => {})
    return result
  }
}

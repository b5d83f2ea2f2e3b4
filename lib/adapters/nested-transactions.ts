import { AsyncLocalStorage } from "node:async_hooks"

/** The scope of a transaction or of a nested transaction, which can be rolled back separately. */
export interface TransactionScope {
  /** Settles when the most recent call of this scope has ended. */
  last: Promise<unknown>
  /** True after the work of the transaction has ended. */
  isOver: boolean
}

/** The error message of a call on the adapter of a transaction that has ended. */
export const TRANSACTION_ENDED = "this transaction has ended: await every call made in it, or use the adapter itself"

function requireOpen({ isOver }: TransactionScope): void {
  if (isOver) throw new Error(TRANSACTION_ENDED)
}

/**
 * Runs the calls and nested transactions of one transaction one after another. If they ran concurrently, the rollback
 * of a nested transaction would also undo the writes of other calls.
 */
export class NestedTransactions {
  readonly #scopes = new AsyncLocalStorage<TransactionScope>()

  /** The scope of the caller's innermost transaction; undefined outside of a transaction and after its end. */
  get current(): TransactionScope | undefined {
    const scope = this.#scopes.getStore()
    return scope?.isOver ? undefined : scope
  }

  /**
   * Runs the work in a new scope, which is nested in the caller's scope if there is one. Then waits for calls that the
   * work did not await. Begin, commit and rollback are the caller's task.
   */
  async runInNewScope<T>(work: (scope: TransactionScope) => Promise<T>): Promise<T> {
    const scope: TransactionScope = { last: Promise.resolve(), isOver: false }
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
   *
   * @throws Error if the transaction of `scope` has ended
   */
  async enqueue<T>(scope: TransactionScope, work: () => T | Promise<T>): Promise<T> {
    requireOpen(scope)
    if (this.current !== scope) return work()
    const result = scope.last.then(work)
    scope.last = result.catch(() => {})
    return result
  }

  /**
   * Runs a nested transaction that was started with the adapter of `scope`. It is nested in the caller's innermost
   * transaction, which may be nested in `scope`.
   *
   * @throws Error if the transaction of `scope` has ended
   */
  async enqueueNested<T>(scope: TransactionScope, work: () => Promise<T>): Promise<T> {
    requireOpen(scope)
    return this.enqueue(this.current ?? scope, work)
  }
}

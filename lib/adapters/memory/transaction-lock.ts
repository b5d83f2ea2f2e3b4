import { AsyncLocalStorage } from "node:async_hooks"

/** The transaction that holds the lock. */
interface LockHolder {
  /** Resolves when the transaction has ended. */
  readonly ended: Promise<void>
}

/** Runs one transaction at a time. While a transaction runs, all other calls wait. */
export class TransactionLock {
  readonly #callers = new AsyncLocalStorage<LockHolder>()
  #holder: LockHolder | undefined

  /** Runs the work. If a transaction is running to which the caller does not belong, first waits for its end. */
  async shared<T>(work: () => T): Promise<T> {
    // A caller within the work of the current transaction does not wait for the end of the transaction: that would be a
    // deadlock.
    while (this.#holder && this.#holder !== this.#callers.getStore()) await this.#holder.ended
    return work()
  }

  /**
   * Runs the work as a transaction. If the caller is within the work of the current transaction, runs the work
   * immediately as a part of that transaction.
   */
  async exclusive<T>(work: () => Promise<T>): Promise<T> {
    while (this.#holder && this.#holder !== this.#callers.getStore()) await this.#holder.ended
    if (this.#holder) return await work()
    const { promise: ended, resolve: end } = withResolvers()
    const holder: LockHolder = { ended }
    this.#holder = holder
    try {
      return await this.#callers.run(holder, work)
    } finally {
      this.#holder = undefined
      end()
    }
  }
}

/** A replacement for `Promise.withResolvers`, which requires Node.js 22. */
function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

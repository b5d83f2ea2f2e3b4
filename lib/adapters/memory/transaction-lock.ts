import { AsyncLocalStorage } from "node:async_hooks"

interface LockHolder {
  readonly ended: Promise<void>
  isOver: boolean
}

/** Runs one transaction at a time; all other calls wait for it. */
export class TransactionLock {
  readonly #inside = new AsyncLocalStorage<LockHolder>()
  #current: LockHolder | undefined

  /** Runs the work immediately, or after the current transaction. */
  async shared<T>(work: () => T): Promise<T> {
    // Calls on the outer adapter within a transaction's work belong to that transaction; waiting would be a deadlock.
    while (this.#current && this.#current !== this.#inside.getStore()) await this.#current.ended
    return work()
  }

  /** Runs the work exclusively; nested if it is called within another exclusive work. */
  async exclusive<T>(work: (isOver: () => boolean) => Promise<T>): Promise<T> {
    while (this.#current && this.#current !== this.#inside.getStore()) await this.#current.ended
    const outer = this.#current
    if (outer) return await work(() => outer.isOver)
    const { promise: ended, resolve: end } = withResolvers()
    const holder: LockHolder = { ended, isOver: false }
    this.#current = holder
    try {
      return await this.#inside.run(holder, () => work(() => holder.isOver))
    } finally {
      holder.isOver = true
      this.#current = undefined
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

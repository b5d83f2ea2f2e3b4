import { AsyncLocalStorage } from "node:async_hooks"

interface Turn {
  readonly ended: Promise<void>
  isOver: boolean
}

/** Lets one transaction run at a time, and makes everything else wait for it. */
export class Turns {
  readonly #inside = new AsyncLocalStorage<Turn>()
  #current: Turn | undefined

  /** Does the work at once, or when the transaction that runs now has ended. */
  async between<T>(work: () => T): Promise<T> {
    // What a transaction's work calls on the outer adapter belongs to it: waiting would be waiting for itself.
    while (this.#current && this.#current !== this.#inside.getStore()) await this.#current.ended
    return work()
  }

  /** Does the work alone; within another such work it is a part of that one. */
  async alone<T>(work: (isOver: () => boolean) => Promise<T>): Promise<T> {
    while (this.#current && this.#current !== this.#inside.getStore()) await this.#current.ended
    const outer = this.#current
    if (outer) return await work(() => outer.isOver)
    const { promise: ended, resolve: end } = withResolvers()
    const turn: Turn = { ended, isOver: false }
    this.#current = turn
    try {
      return await this.#inside.run(turn, () => work(() => turn.isOver))
    } finally {
      turn.isOver = true
      this.#current = undefined
      end()
    }
  }
}

/** `Promise.withResolvers` comes with Node 22. */
function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

import { AsyncLocalStorage } from "node:async_hooks"

/** The work of a transaction, or a part of it that is undone alone. */
export interface Part {
  /** The end of what was called last in it. */
  last: Promise<unknown>
  isOver: boolean
}

/**
 * What is called in a part of a transaction is done in the order in which it was called, parts of it too. Otherwise a
 * part that fails would undo what is written beside it.
 */
export class Parts {
  readonly #inside = new AsyncLocalStorage<Part>()

  /** The part that the caller is in. */
  get current(): Part | undefined {
    const part = this.#inside.getStore()
    return part?.isOver ? undefined : part
  }

  /** Does work as a part, and waits for what it has called too. */
  async begin<T>(work: (part: Part) => Promise<T>): Promise<T> {
    const part: Part = { last: Promise.resolve(), isOver: false }
    try {
      return await this.#inside.run(part, () => work(part))
    } finally {
      part.isOver = true
      await part.last
    }
  }

  /** Does what was called in a part in its turn. What comes from a part of that part is a step of its own turn. */
  async inOrder<T>(part: Part, work: () => T | Promise<T>): Promise<T> {
    if (this.current !== part) return work()
    const done = part.last.then(work)
    part.last = done.catch(() => {})
    return done
  }
}

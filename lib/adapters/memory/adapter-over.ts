import type { Adapter, OwnAdapter } from "../adapter.js"
import { ADAPTER_METHODS } from "../bind.js"
import { type Part, Parts } from "../parts.js"
import { copyOf } from "./copy.js"
import type { MemoryRows, RowMethods } from "./rows.js"
import { Turns } from "./turns.js"

type Gate = (work: () => unknown) => Promise<unknown>

/** The rows' methods behind a gate, with copies in and out: nobody changes a row from outside. */
function gated(rows: RowMethods, gate: Gate): Omit<Required<Adapter>, "transaction"> {
  const methods = ADAPTER_METHODS.map((name) => {
    // Each method has the type of the one that it calls; this one does not care which.
    const method = rows[name as keyof RowMethods] as (...args: unknown[]) => unknown
    const call = (...args: unknown[]) => {
      const copies = copyOf(args)
      return gate(() => copyOf(method.apply(rows, copies)))
    }
    return [name, call] as const
  })
  return { ...Object.fromEntries(methods), keepsProvenEmail: true } as unknown as Omit<Required<Adapter>, "transaction">
}

/** Does the work, and puts everything back as it was when it fails. */
async function undoable<T>(rows: MemoryRows, work: () => Promise<T>): Promise<T> {
  const saved = rows.save()
  try {
    return await work()
  } catch (error) {
    rows.restore(saved)
    throw error
  }
}

/** The parts of transactions over rows: what each one's work gets. */
class PartsOver {
  readonly #rows: MemoryRows
  readonly #parts = new Parts()

  constructor(rows: MemoryRows) {
    this.#rows = rows
  }

  /** Does a call in its turn where it is made in a part, else at once. */
  call(work: () => unknown): unknown {
    const part = this.#parts.current
    return part ? this.#parts.inOrder(part, work) : work()
  }

  /** Does a transaction's work, as a part where it is called in one. */
  run<T>(work: (adapter: Required<Adapter>) => Promise<T>, isOver: () => boolean): Promise<T> {
    const part = this.#parts.current
    return part ? this.#within(part, work, isOver) : this.#begin(work, isOver)
  }

  #within<T>(part: Part, work: (adapter: Required<Adapter>) => Promise<T>, isOver: () => boolean): Promise<T> {
    return this.#parts.inOrder(this.#parts.current ?? part, () => this.#begin(work, isOver))
  }

  #begin<T>(work: (adapter: Required<Adapter>) => Promise<T>, isOver: () => boolean): Promise<T> {
    return undoable(this.#rows, () => this.#parts.begin((part) => work(this.#adapterIn(part, isOver))))
  }

  /** It works for as long as the transaction runs. */
  #adapterIn(part: Part, isOver: () => boolean): Required<Adapter> {
    const requireOpen = () => {
      if (isOver()) throw new Error("this transaction is over: await what is called in it")
    }
    const gate: Gate = async (work) => {
      requireOpen()
      return this.#parts.inOrder(part, work)
    }
    return {
      ...gated(this.#rows, gate),
      transaction: async (work) => {
        requireOpen()
        return this.#within(part, work, isOver)
      },
    }
  }
}

/** An adapter over rows in memory, whose transactions come one after the other. */
export function adapterOver(rows: MemoryRows): OwnAdapter {
  const [turns, parts] = [new Turns(), new PartsOver(rows)]
  return {
    ...gated(rows, (work) => turns.between(() => parts.call(work))),
    transaction: (work) => turns.alone((isOver) => parts.run(work, isOver)),
    migrate: async () => undefined,
    sweep: () => turns.between(() => rows.sweep()),
    close: async () => undefined,
  }
}

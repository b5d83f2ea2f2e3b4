import { AsyncLocalStorage } from "node:async_hooks"
import type { Adapter } from "../adapter.js"
import { type Part, Parts } from "../parts.js"
import type { RunScript } from "./client.js"
import { methodsOver, type Operation } from "./methods.js"

/** "try" reads and checks, and writes nothing; "keep" writes. */
type Mode = "try" | "keep"

const CONFLICT = "what this transaction has read was changed meanwhile: nothing was written, it can be done again"

/** Has the script do operations, all or none; gives the last one's result as JSON. */
export async function runOperations(
  run: RunScript,
  operations: readonly Operation[],
  { mode, expected = [] }: { readonly mode: Mode; readonly expected?: readonly string[] },
): Promise<string> {
  const answer = await run(JSON.stringify(operations), mode, JSON.stringify(expected))
  if (answer.startsWith("=")) return answer.slice(1)
  throw new Error(answer.startsWith("!") ? answer.slice(1) : CONFLICT)
}

/**
 * A transaction without a lock.
 *
 * Redis has none that reads. So each call is tried together with those before it, which shows what it would see and
 * whether it would be refused, and nothing is written. At the end all calls are done in one script, which writes only
 * if every one of them gives the same result as when it was tried: it is as if everything had happened at that moment.
 */
class OptimisticTransaction {
  readonly #run: RunScript
  readonly #parts = new Parts()
  #done: { readonly operation: Operation; readonly result: string }[] = []
  #last: Promise<unknown> = Promise.resolve()
  #isOver = false

  constructor(run: RunScript) {
    this.#run = run
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Does a call in the part that the caller is in. */
  perform(operation: Operation): Promise<unknown> {
    return this.#inCurrent(() => this.#next(operation))
  }

  /** Does work that is a part of it: when that fails, what it did is left out. */
  part<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
    return this.#inCurrent(() => this.#undoable(work))
  }

  /** Does the work of the whole. */
  begin<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
    return this.#parts.begin((part) => work(this.#adapterIn(part)))
  }

  #inCurrent<T>(work: () => Promise<T>): Promise<T> {
    const part = this.#parts.current
    return part ? this.#parts.inOrder(part, work) : work()
  }

  async #undoable<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
    await this.#last
    const before = this.#done.length
    try {
      return await this.begin(work)
    } catch (error) {
      await this.#last
      this.#done = this.#done.slice(0, before)
      throw error
    }
  }

  /** Whoever calls, one thing is tried after the other. */
  #next(operation: Operation): Promise<unknown> {
    const result = this.#last.then(() => this.#try(operation))
    this.#last = result.catch(() => undefined)
    return result
  }

  async commit(): Promise<void> {
    await this.#last
    this.#isOver = true
    if (this.#done.length === 0) return
    const expected = this.#done.map(({ result }) => result)
    await runOperations(this.#run, this.#operations(), { mode: "keep", expected })
  }

  abandon(): void {
    this.#isOver = true
  }

  #adapterIn(part: Part): Required<Adapter> {
    return {
      ...methodsOver((operation) => this.#parts.inOrder(part, () => this.#next(operation))),
      transaction: (work) => this.#parts.inOrder(this.#parts.current ?? part, () => this.#undoable(work)),
    }
  }

  #operations(): Operation[] {
    return this.#done.map(({ operation }) => operation)
  }

  async #try(operation: Operation): Promise<unknown> {
    if (this.#isOver) throw new Error("this transaction is over: await what is called in it")
    const result = await runOperations(this.#run, [...this.#operations(), operation], { mode: "try" })
    this.#done.push({ operation, result })
    return JSON.parse(result)
  }
}

/** Does operations, each at once or as a part of the transaction in whose work it is called. */
export class Transactions {
  readonly #inside = new AsyncLocalStorage<OptimisticTransaction>()
  readonly #run: RunScript

  constructor(run: RunScript) {
    this.#run = run
  }

  async perform(operation: Operation): Promise<unknown> {
    const current = this.#current()
    if (current) return current.perform(operation)
    return JSON.parse(await runOperations(this.#run, [operation], { mode: "keep" }))
  }

  async run<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
    const current = this.#current()
    if (current) return current.part(work)
    const transaction = new OptimisticTransaction(this.#run)
    try {
      const result = await this.#inside.run(transaction, () => transaction.begin(work))
      await transaction.commit()
      return result
    } finally {
      transaction.abandon()
    }
  }

  /** Work that was not awaited may outlive its transaction. */
  #current(): OptimisticTransaction | undefined {
    const transaction = this.#inside.getStore()
    return transaction?.isOver ? undefined : transaction
  }
}

import { AsyncLocalStorage } from "node:async_hooks"
import type { Adapter } from "../adapter.js"
import { type NestedTransaction, NestedTransactions } from "../nested-transactions.js"
import { createMethods, type Operation } from "./methods.js"

/** Runs the adapter's script with these arguments. */
export type RunWithPrefix = (...args: string[]) => Promise<string>

/** "try" reads and checks without writing; "keep" writes. */
type Mode = "try" | "keep"

const CONFLICT =
  "data read by this transaction has changed meanwhile: nothing was written, and the transaction can be retried"

/** Runs operations in the script, all or none; returns the last result as JSON. */
export async function runOperations(
  run: RunWithPrefix,
  operations: readonly Operation[],
  { mode, expected = [] }: { readonly mode: Mode; readonly expected?: readonly string[] },
): Promise<string> {
  const answer = await run(JSON.stringify(operations), mode, JSON.stringify(expected))
  if (answer.startsWith("=")) return answer.slice(1)
  throw new Error(answer.startsWith("!") ? answer.slice(1) : CONFLICT)
}

/**
 * An optimistic transaction.
 *
 * Redis has no transactions that can read. So each call is tried together with the previous ones without writing, which
 * returns its result or its error. At the end one script runs all calls, and writes only if each returns the same
 * result as when it was tried.
 */
class OptimisticTransaction {
  readonly #run: RunWithPrefix
  readonly #nesting = new NestedTransactions()
  #done: { readonly operation: Operation; readonly result: string }[] = []
  #last: Promise<unknown> = Promise.resolve()
  #isOver = false

  constructor(run: RunWithPrefix) {
    this.#run = run
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Runs a call in the (nested) transaction of the caller. */
  perform(operation: Operation): Promise<unknown> {
    return this.#inCurrent(() => this.#next(operation))
  }

  /** Runs a nested transaction. If it fails, its calls are dropped. */
  nested<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
    return this.#inCurrent(() => this.#runNested(work))
  }

  /** Runs the work of the transaction. */
  begin<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
    return this.#nesting.start((scope) => work(this.#adapterIn(scope)))
  }

  #inCurrent<T>(work: () => Promise<T>): Promise<T> {
    const scope = this.#nesting.current
    return scope ? this.#nesting.enqueue(scope, work) : work()
  }

  async #runNested<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
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

  /** Calls are tried one at a time. */
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

  #adapterIn(scope: NestedTransaction): Required<Adapter> {
    return {
      ...createMethods((operation) => this.#nesting.enqueue(scope, () => this.#next(operation))),
      transaction: (work) => this.#nesting.enqueue(this.#nesting.current ?? scope, () => this.#runNested(work)),
    }
  }

  #operations(): Operation[] {
    return this.#done.map(({ operation }) => operation)
  }

  async #try(operation: Operation): Promise<unknown> {
    if (this.#isOver) throw new Error("this transaction has ended: await every call made in it")
    const result = await runOperations(this.#run, [...this.#operations(), operation], { mode: "try" })
    this.#done.push({ operation, result })
    return JSON.parse(result)
  }
}

/** Runs each operation immediately, or in the transaction in whose work it is called. */
export class Transactions {
  readonly #inside = new AsyncLocalStorage<OptimisticTransaction>()
  readonly #run: RunWithPrefix

  constructor(run: RunWithPrefix) {
    this.#run = run
  }

  async perform(operation: Operation): Promise<unknown> {
    const current = this.#current()
    if (current) return current.perform(operation)
    return JSON.parse(await runOperations(this.#run, [operation], { mode: "keep" }))
  }

  async run<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
    const current = this.#current()
    if (current) return current.nested(work)
    const transaction = new OptimisticTransaction(this.#run)
    try {
      const result = await this.#inside.run(transaction, () => transaction.begin(work))
      await transaction.commit()
      return result
    } finally {
      transaction.abandon()
    }
  }

  /** Work that was not awaited can outlive its transaction. */
  #current(): OptimisticTransaction | undefined {
    const transaction = this.#inside.getStore()
    return transaction?.isOver ? undefined : transaction
  }
}

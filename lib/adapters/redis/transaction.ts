import { AsyncLocalStorage } from "node:async_hooks"
import type { Adapter } from "../adapter.js"
import { NestedTransactions, TRANSACTION_ENDED, type TransactionScope } from "../nested-transactions.js"
import { createMethods, type Operation } from "./methods.js"

/** Runs the adapter's script with the adapter's key prefix and these arguments, and returns the script's response. */
export type RunWithPrefix = (...args: string[]) => Promise<string>

/** "try" runs the operations without writing to Redis; "keep" writes their changes. */
type Mode = "try" | "keep"

const CONFLICT =
  "data read by this transaction has changed meanwhile: nothing was written, and the transaction can be retried"

/**
 * Runs all of the operations in one script, or none of them. Returns the result of the last operation as JSON.
 *
 * @throws Error when an operation is rejected, or when a result differs from its `expected` result
 */
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
 * With MULTI, Redis executes all commands only at EXEC, so the work could not use what it reads. Therefore each call
 * runs a script that repeats the previous calls, then runs this call, and writes nothing. At the end, one script runs
 * all calls and writes their changes, but only if each call returns the same result as before.
 */
class OptimisticTransaction {
  readonly #run: RunWithPrefix
  readonly #scopes = new NestedTransactions()
  #calls: { readonly operation: Operation; readonly result: string }[] = []
  #last: Promise<unknown> = Promise.resolve()
  #isOver = false

  constructor(run: RunWithPrefix) {
    this.#run = run
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Runs a call on the adapter itself in the caller's transaction, which may be nested. */
  perform(operation: Operation): Promise<unknown> {
    return this.#runInCurrent(() => this.#enqueueCall(operation))
  }

  /** Runs a nested transaction. If the nested transaction fails, its calls are discarded. */
  nested<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
    return this.#runInCurrent(() => this.#runNested(work))
  }

  /** Runs the work of this transaction, or of a transaction nested in it. */
  begin<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
    return this.#scopes.runInNewScope((scope) => work(this.#createAdapter(scope)))
  }

  #runInCurrent<T>(work: () => Promise<T>): Promise<T> {
    const scope = this.#scopes.current
    return scope ? this.#scopes.enqueue(scope, work) : work()
  }

  async #runNested<T>(work: (adapter: Required<Adapter>) => Promise<T>): Promise<T> {
    await this.#last
    const callCount = this.#calls.length
    try {
      return await this.begin(work)
    } catch (error) {
      await this.#last
      this.#calls = this.#calls.slice(0, callCount)
      throw error
    }
  }

  /** Runs a call in the mode "try", after the previous calls. */
  #enqueueCall(operation: Operation): Promise<unknown> {
    const result = this.#last.then(() => this.#try(operation))
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Writes the changes of all calls. */
  async commit(): Promise<void> {
    await this.#last
    this.#isOver = true
    if (this.#calls.length === 0) return
    const expected = this.#calls.map(({ result }) => result)
    await runOperations(this.#run, this.#operations(), { mode: "keep", expected })
  }

  /** Ends the transaction. Later calls reject. Nothing has to be undone, because only `commit` writes. */
  end(): void {
    this.#isOver = true
  }

  #createAdapter(scope: TransactionScope): Required<Adapter> {
    return {
      ...createMethods((operation) => this.#scopes.enqueue(scope, () => this.#enqueueCall(operation))),
      transaction: (work) => this.#scopes.enqueueNested(scope, () => this.#runNested(work)),
    }
  }

  #operations(): Operation[] {
    return this.#calls.map(({ operation }) => operation)
  }

  async #try(operation: Operation): Promise<unknown> {
    if (this.#isOver) throw new Error(TRANSACTION_ENDED)
    const result = await runOperations(this.#run, [...this.#operations(), operation], { mode: "try" })
    this.#calls.push({ operation, result })
    return JSON.parse(result)
  }
}

/** Runs transactions and single operations. An operation joins the caller's transaction if there is one. */
export class Transactions {
  readonly #transactions = new AsyncLocalStorage<OptimisticTransaction>()
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
      const result = await this.#transactions.run(transaction, () => transaction.begin(work))
      await transaction.commit()
      return result
    } finally {
      transaction.end()
    }
  }

  /**
   * Returns the caller's transaction; undefined outside of a transaction. Also undefined after its end, because a call
   * that was not awaited can outlive its transaction.
   */
  #current(): OptimisticTransaction | undefined {
    const transaction = this.#transactions.getStore()
    return transaction?.isOver ? undefined : transaction
  }
}

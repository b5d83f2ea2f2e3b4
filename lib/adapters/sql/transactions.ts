/**
 * Transactions, and which one a call belongs to.
 *
 * A call that is made on the adapter itself while work in a transaction runs belongs to that transaction too: SQLite has
 * one connection, which the work holds, and would wait for it for ever.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type { Adapter } from "../adapter.js"
import { whenFree } from "./faults.js"
import { type StoreMethods, throughEach } from "./methods.js"
import { run, type Store } from "./store.js"

type Work<T> = (adapter: Required<Adapter>) => Promise<T>

/** A transaction, or a part of one that can be undone alone. */
interface Scope {
  readonly store: Store
  readonly methods: StoreMethods
  readonly depth: number
  isOpen: boolean
  /** What is called in one scope is done in turn: a part of it that fails would undo what is written meanwhile. */
  last: Promise<unknown>
}

export class Transactions {
  readonly #root: Store
  readonly #methodsOn: (store: Store) => StoreMethods
  readonly #rootMethods: StoreMethods
  readonly #scopes = new AsyncLocalStorage<Scope | undefined>()

  constructor(root: Store, methodsOn: (store: Store) => StoreMethods) {
    this.#root = root
    this.#methodsOn = methodsOn
    this.#rootMethods = methodsOn(root)
  }

  /** Makes a call on the transaction that the caller is in, else on the database. */
  call(work: (methods: StoreMethods) => Promise<unknown>): Promise<unknown> {
    const scope = this.#scope
    return scope ? this.#inTurn(scope, () => work(scope.methods)) : work(this.#rootMethods)
  }

  /** Is the caller in a transaction? */
  get isWithin(): boolean {
    return this.#scope !== undefined
  }

  get #scope(): Scope | undefined {
    const scope = this.#scopes.getStore()
    return scope?.isOpen ? scope : undefined
  }

  /** Runs something that belongs to no transaction, whoever starts it. */
  outside<T>(work: () => T): T {
    return this.#scopes.run(undefined, work)
  }

  async run<T>(work: Work<T>): Promise<T> {
    const outer = this.#scope
    return outer ? this.#part(outer, work) : this.#begin(work)
  }

  #part<T>(outer: Scope, work: Work<T>): Promise<T> {
    return this.#inTurn(outer, () => this.#savepoint(outer, work))
  }

  /** What a part calls on the adapters around it is done at once: it would wait for itself. */
  #inTurn<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
    if (this.#scope !== scope) return work()
    const done = scope.last.then(work)
    scope.last = done.catch(() => {})
    return done
  }

  #begin<T>(work: Work<T>): Promise<T> {
    let isBegun = false
    const attempt = () =>
      this.#root.db.transaction().execute((db) => {
        isBegun = true
        return this.#within({ ...this.#root, db }, 1, work)
      })
    // Work is not done twice: only its beginning is waited for.
    return whenFree(attempt, () => !isBegun)
  }

  async #savepoint<T>({ store, depth }: Scope, work: Work<T>): Promise<T> {
    const name = `latchkey_${depth}`
    await run(store, `savepoint ${name}`)
    try {
      const result = await this.#within(store, depth + 1, work)
      await run(store, `release savepoint ${name}`)
      return result
    } catch (error) {
      // When even that fails, the whole transaction will.
      await run(store, `rollback to savepoint ${name}`)
      throw error
    }
  }

  async #within<T>(store: Store, depth: number, work: Work<T>): Promise<T> {
    const scope: Scope = { store, depth, methods: this.#methodsOn(store), isOpen: true, last: Promise.resolve() }
    try {
      return await this.#scopes.run(scope, () => work(this.#adapterIn(scope)))
    } finally {
      scope.isOpen = false
      // What nobody waited for must not go on when the connection is somebody else's.
      await scope.last
    }
  }

  #adapterIn(scope: Scope): Required<Adapter> {
    const requireOpen = () => {
      if (!scope.isOpen) throw new Error("the transaction of this adapter is over: use the adapter itself")
    }
    return {
      ...throughEach(async (call) => {
        requireOpen()
        return this.#inTurn(scope, () => call(scope.methods))
      }),
      transaction: async (work) => {
        requireOpen()
        return this.#part(this.#scope ?? scope, work)
      },
    }
  }
}

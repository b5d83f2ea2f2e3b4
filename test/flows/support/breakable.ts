import type { Adapter } from "../../../lib/adapters/adapter.js"
import type { Store } from "../../../lib/store/store.js"

type AnyMethod = (...args: unknown[]) => unknown

type Method = Exclude<keyof Adapter, "transaction"> | "store.set" | "store.increment"

/** An adapter that fails or is slow on demand. */
export interface Breakable {
  readonly adapter: Adapter
  /** Makes the next calls of the method reject. */
  fail(method: Method, times?: number): void
  /** Makes every method reject. */
  isDown: boolean
  /** Delays every method. */
  delayMs: number
  /** The number of pending calls. */
  underWay: number
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

export function breakable(adapter: Adapter): Breakable {
  const failing = new Map<string, number>()
  const control: Breakable = {
    adapter: wrap(adapter),
    fail: (method, times = 1) => void failing.set(method, times),
    isDown: false,
    delayMs: 0,
    underWay: 0,
  }
  async function enter(name: string): Promise<void> {
    if (control.delayMs > 0) await pause(control.delayMs)
    const left = failing.get(name) ?? 0
    if (left > 0) failing.set(name, left - 1)
    if (left > 0 || control.isDown) throw new Error(`${name}: the connection was lost`)
  }
  function wrapMethod(name: string, inner: object, method: AnyMethod): AnyMethod {
    return async (...args) => {
      control.underWay += 1
      try {
        await enter(name)
        return await Reflect.apply(method, inner, args)
      } finally {
        control.underWay -= 1
      }
    }
  }
  function wrapStore(inner: Store): Store {
    const names = ["get", "set", "delete", "list", "increment"] as const
    const entries = names.map((name) => [name, wrapMethod(`store.${name}`, inner, inner[name] as AnyMethod)])
    return { durable: inner.durable, ...Object.fromEntries(entries) }
  }
  function wrap(inner: Adapter): Adapter {
    const entries = Object.entries(inner).map(([name, method]) => {
      if (name === "transaction")
        return [
          name,
          (work: (within: Adapter) => Promise<unknown>) => inner.transaction?.((within) => work(wrap(within))),
        ]
      // Only adapters of this package have a store.
      if (name === "store") return [name, wrapStore(method as Store)]
      return [name, wrapMethod(name, inner, method as AnyMethod)]
    })
    // The object has the same methods as the adapter.
    return Object.fromEntries(entries)
  }
  return control
}

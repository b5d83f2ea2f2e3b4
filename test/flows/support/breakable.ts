import type { Adapter } from "../../../lib/adapters/adapter.js"

type Method = Exclude<keyof Adapter, "transaction">

/** A store that can be told to fail or to be slow, as a real one is now and then. */
export interface Breakable {
  readonly adapter: Adapter
  /** The method rejects, so many times. */
  fail(method: Method, times?: number): void
  /** Every method rejects. */
  isDown: boolean
  /** Every method takes so much longer. */
  delayMs: number
  /** How many calls are on their way. */
  underWay: number
}

const later = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

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
    if (control.delayMs > 0) await later(control.delayMs)
    const left = failing.get(name) ?? 0
    if (left > 0) failing.set(name, left - 1)
    if (left > 0 || control.isDown) throw new Error(`${name}: the connection was lost`)
  }
  function wrap(inner: Adapter): Adapter {
    const entries = Object.entries(inner).map(([name, method]) => {
      if (name === "transaction")
        return [name, (work: (within: Adapter) => Promise<unknown>) => inner.transaction?.((one) => work(wrap(one)))]
      return [
        name,
        async (...args: unknown[]) => {
          control.underWay += 1
          try {
            await enter(name)
            return await Reflect.apply(method as (...args: unknown[]) => unknown, inner, args)
          } finally {
            control.underWay -= 1
          }
        },
      ]
    })
    // The same methods, each called as before.
    return Object.fromEntries(entries)
  }
  return control
}

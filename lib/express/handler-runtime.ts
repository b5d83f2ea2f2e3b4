import type { Runtime } from "../runtime/runtime.js"

/** A global symbol, because a test runner may load this package both as ES modules and as CommonJS. */
const RUNTIME = Symbol.for("latchkey.runtime")

/** Stores the runtime of a handler on the handler, for `latchkey/testing`. Requests do not use it. */
export const tagHandler = <Handler extends object>(handler: Handler, runtime: Runtime): Handler =>
  Object.defineProperty(handler, RUNTIME, { value: runtime })

/** The runtime of a handler of this package; undefined for other functions. */
export function getHandlerRuntime(handler: object): Runtime | undefined {
  // Only `tagHandler` uses this symbol.
  return Reflect.get(handler, RUNTIME) as Runtime | undefined
}

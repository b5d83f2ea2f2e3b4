import type { Runtime } from "../runtime/runtime.js"

/** A global symbol, because a test runner may load this package both as ES modules and as CommonJS. */
const RUNTIME = Symbol.for("latchkey.runtime")

/** Stores the runtime on its handler, so that `latchkey/testing` can find it. Requests do not use this property. */
export const tagHandler = <Handler extends object>(handler: Handler, runtime: Runtime): Handler =>
  Object.defineProperty(handler, RUNTIME, { value: runtime })

/** Returns the runtime of a handler that this package created; undefined for other functions. */
export function getHandlerRuntime(handler: object): Runtime | undefined {
  // Only `tagHandler` sets this property, so the type is known.
  return Reflect.get(handler, RUNTIME) as Runtime | undefined
}

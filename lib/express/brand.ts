import type { Runtime } from "../runtime.js"

/** The same in every copy of this package: a test runner may load one as ES modules and one as CommonJS. */
const RUNTIME = Symbol.for("latchkey.runtime")

/** The handler, which from now on tells what it was made of; it costs no request anything. */
export const withRuntime = <Handler extends object>(handler: Handler, runtime: Runtime): Handler =>
  Object.defineProperty(handler, RUNTIME, { value: runtime })

/** What a handler of this package was made of; undefined for everything else. */
export function runtimeIn(handler: object): Runtime | undefined {
  // Nobody else writes under this symbol.
  return Reflect.get(handler, RUNTIME) as Runtime | undefined
}

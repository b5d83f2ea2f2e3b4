import { setImmediate as turn } from "node:timers/promises"
import { runInThisContext } from "node:vm"

/**
 * Makes a test fail when anything in the process throws or rejects with nobody to catch it. Call it once, at the top of
 * a test file or of a `describe`.
 */
export function failOnUnhandled(): void {
  // A test's own `process` is a copy that hears no such event.
  const realProcess: NodeJS.Process = runInThisContext("process")
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  beforeAll(() => {
    realProcess.on("unhandledRejection", note).on("uncaughtException", note)
  })
  afterEach(async () => {
    // A rejection counts as unhandled when the turn in which it happened is over.
    await turn()
    await turn()
    const [cause] = unhandled.splice(0)
    if (cause !== undefined) throw new Error(`nobody handled: ${cause}`, { cause })
  })
  afterAll(() => {
    realProcess.off("unhandledRejection", note).off("uncaughtException", note)
  })
}

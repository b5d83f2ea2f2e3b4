import { setImmediate as turn } from "node:timers/promises"
import { runInThisContext } from "node:vm"

/**
 * Fails a test if an exception or rejection in the process is unhandled. Call it once, at the top of a test file or of
 * a `describe`.
 */
export function failOnUnhandled(): void {
  // Jest replaces `process` with a copy that does not emit these events.
  const realProcess: NodeJS.Process = runInThisContext("process")
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  beforeAll(() => {
    realProcess.on("unhandledRejection", note).on("uncaughtException", note)
  })
  afterEach(async () => {
    // A rejection is reported as unhandled after the current turn of the event loop.
    await turn()
    await turn()
    const [cause] = unhandled.splice(0)
    if (cause !== undefined) throw new Error(`unhandled: ${cause}`, { cause })
  })
  afterAll(() => {
    realProcess.off("unhandledRejection", note).off("uncaughtException", note)
  })
}

// Not the global timers, which a test may have replaced with fake ones.
import { setTimeout as pause } from "node:timers/promises"

/**
 * Waits until the condition is truthy, and returns its value.
 *
 * @throws Error with the condition if it is not met in time
 */
export async function until<T>(condition: () => T | Promise<T>, timeoutMs = 5_000): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const outcome = await condition()
    if (outcome) return outcome
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition}`)
    await pause(5)
  }
}

// Not the global timers: a test may have put fake ones in their place.
import { setTimeout as pause } from "node:timers/promises"

/**
 * Waits until the condition holds, and gives what it returned.
 *
 * @throws Error naming the condition when it doesn't hold in time
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

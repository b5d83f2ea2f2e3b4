import { channel } from "node:diagnostics_channel"

const starts = channel("latchkey.write")

/**
 * Whether writes at start-up are suppressed. `npx latchkey doctor` loads a module of the application and must not change
 * data. The module can use another copy of this package, so the flag is process-wide.
 */
export function isSuppressed(write: string): boolean {
  const message = { write, isSuppressed: false }
  starts.publish(message)
  return message.isSuppressed
}

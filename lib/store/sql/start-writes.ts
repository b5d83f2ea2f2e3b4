import { channel } from "node:diagnostics_channel"

const starts = channel("latchkey.write")

/**
 * Whether writes at start-up are suppressed. `npx latchkey doctor` loads applications and must not change data. It can
 * use another copy of this package, so the flag is process-wide.
 */
export function isSuppressed(write: string): boolean {
  const message = { write, isSuppressed: false }
  starts.publish(message)
  return message.isSuppressed
}

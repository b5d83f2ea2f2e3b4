import { channel } from "node:diagnostics_channel"

const starts = channel("latchkey.write")

/**
 * Is a write that belongs to the start of an application withheld? `npx latchkey doctor` loads applications and must
 * change nothing. The two may have different copies of this package, so they share a channel of the process.
 */
export function isWithheld(write: string): boolean {
  const message = { write, isWithheld: false }
  starts.publish(message)
  return message.isWithheld
}

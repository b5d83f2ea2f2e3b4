import { channel } from "node:diagnostics_channel"

const writeChannel = channel("latchkey.write")

/**
 * True if the write must not be carried out, because `npx latchkey doctor` is loading the application's module and must
 * not change data. The command subscribes to the channel and sets `isSuppressed` in the message. A diagnostics channel
 * also works if the application uses another copy of this package.
 */
export function isWriteSuppressed(write: string): boolean {
  const message = { write, isSuppressed: false }
  writeChannel.publish(message)
  return message.isSuppressed
}

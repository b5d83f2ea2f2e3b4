import { asError } from "../errors.js"

/**
 * An error of a library, of a driver or of the network without what hangs on it: there are answers with tokens in them
 * and statements with their values, and loggers print whatever an error has. `loggable` makes of each text what a log
 * may have.
 */
export function plainError(value: unknown, loggable: (text: string) => string): Error {
  const { name, message, stack } = asError(value)
  const plain = new Error(loggable(String(message)))
  plain.name = loggable(String(name))
  const frames = String(stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
  plain.stack = [`${plain.name}: ${plain.message}`, ...frames].join("\n")
  return plain
}

import { asError } from "../errors/errors.js"

/**
 * Copies an error of a library, a driver or the network without its other properties. These may contain responses with
 * tokens or SQL statements with values, and loggers print all properties.
 *
 * @param sanitize masks secrets in the name and the message
 * @param text replaces the message
 */
export function copyError(value: unknown, sanitize: (text: string) => string, text?: string): Error {
  const { name, message, stack } = asError(value)
  const plain = new Error(text ?? sanitize(String(message)))
  plain.name = sanitize(String(name))
  const frames = String(stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
  plain.stack = [`${plain.name}: ${plain.message}`, ...frames].join("\n")
  return plain
}

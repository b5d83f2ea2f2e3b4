import { asError } from "../errors/errors.js"

/**
 * Copies only the name, the message and the stack of an error of a library, a driver or the network. Loggers print all
 * properties of an error, and the properties that are left out may contain responses with tokens or SQL statements with
 * values.
 *
 * @param sanitize masks secrets in the name and the message
 * @param text replaces the message, without sanitizing
 */
export function copyError(value: unknown, sanitize: (text: string) => string, text?: string): Error {
  const { name, message, stack } = asError(value)
  const copied = new Error(text ?? sanitize(String(message)))
  copied.name = sanitize(String(name))
  const frames = String(stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
  copied.stack = [`${copied.name}: ${copied.message}`, ...frames].join("\n")
  return copied
}

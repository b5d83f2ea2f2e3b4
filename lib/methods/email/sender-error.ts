import { asError } from "../../errors.js"
import type { Link } from "./link.js"

/**
 * What a sender failed with, for the log: without what hangs on it (clients of HTTP keep the whole request, and in it
 * the mail), and without the link. Whoever reads a log must not be able to sign in.
 */
export function senderError(value: unknown, { token }: Link): Error {
  const { name, message, stack = "" } = asError(value)
  const mask = (text: string) => text.replaceAll(token, "[masked]").replaceAll(encodeURIComponent(token), "[masked]")
  const plain = Object.assign(new Error(mask(message)), { name: mask(name) })
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line))
  plain.stack = [`${plain.name}: ${plain.message}`, ...frames.map(mask)].join("\n")
  return plain
}

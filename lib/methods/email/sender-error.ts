import { inspect } from "node:util"
import { asError } from "../../errors.js"
import type { Link } from "./link.js"

/** Of a list, an answer in bytes for instance: more of it says no more, and has more of the mail. */
const MAX_ITEMS = 10

/** What a sender failed with need not be text: some put there what their service has answered. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value
  if (value === undefined) return ""
  // Strings stay whole: half a token would be masked nowhere.
  const shown = { depth: 0, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: MAX_ITEMS, maxStringLength: null }
  return inspect(value, { ...shown, customInspect: false })
}

/** A member as text; what is worked out when it is read may fail. */
function read(error: Error, member: "name" | "message" | "stack"): string {
  try {
    return textOf(Reflect.get(error, member))
  } catch {
    return `a ${member} that can't be read`
  }
}

/** The forms in which a text has the token: as it is, in an address, and within quotes. */
const formsOf = (token: string): string[] => [token, encodeURIComponent(token), JSON.stringify(token).slice(1, -1)]

/**
 * What a sender failed with, for the log: without what hangs on it (clients of HTTP keep the whole request, and in it
 * the mail), and without the link. Whoever reads a log must not be able to sign in.
 */
export function senderError(value: unknown, { token }: Link): Error {
  const error = asError(value)
  const mask = (text: string) => formsOf(token).reduce((masked, form) => masked.replaceAll(form, "[masked]"), text)
  const name = mask(read(error, "name")) || "Error"
  const plain = Object.assign(new Error(mask(read(error, "message"))), { name })
  const frames = read(error, "stack")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
  plain.stack = [`${plain.name}: ${plain.message}`, ...frames.map(mask)].join("\n")
  return plain
}

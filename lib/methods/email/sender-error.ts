import { inspect } from "node:util"
import { asError } from "../../errors/errors.js"
import { formatCode } from "./code.js"
import type { Link } from "./link.js"

/** Limits lists such as a response in bytes, which may contain the email. */
const MAX_ITEMS = 10

/** Converts a member of an error to text. Some senders put the response of their service there. */
function readText(value: unknown): string {
  if (typeof value === "string") return value
  if (value === undefined) return ""
  // Strings are not truncated, because part of a token would not be masked.
  const shown = { depth: 0, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: MAX_ITEMS, maxStringLength: null }
  return inspect(value, { ...shown, customInspect: false })
}

/** Reads a member as text. A getter may throw. */
function read(error: Error, member: "name" | "message" | "stack"): string {
  try {
    return readText(Reflect.get(error, member))
  } catch {
    return `a ${member} that can't be read`
  }
}

/** The token as plain text, URL-encoded, and JSON-encoded; the code with and without its hyphen. */
const listEncodings = ({ token, code }: Link): string[] => [
  token,
  encodeURIComponent(token),
  JSON.stringify(token).slice(1, -1),
  ...(code === undefined ? [] : [code, formatCode(code)]),
]

/**
 * Copies a sender's error for the log, without further members (HTTP clients attach the request, which contains the
 * email) and with the link's token and the code masked: access to the log must not allow a sign-in.
 */
export function senderError(value: unknown, link: Link): Error {
  const error = asError(value)
  const mask = (text: string) => listEncodings(link).reduce((masked, form) => masked.replaceAll(form, "[masked]"), text)
  const plain = new Error(mask(read(error, "message")))
  plain.name = mask(read(error, "name")) || "Error"
  const frames = read(error, "stack")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
  plain.stack = [`${plain.name}: ${plain.message}`, ...frames.map(mask)].join("\n")
  return plain
}

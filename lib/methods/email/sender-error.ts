import { inspect } from "node:util"
import { asError } from "../../errors/errors.js"
import { formatCode } from "./code.js"
import type { Link } from "./link.js"

/** The maximum number of logged items of a list. A longer list may be a response as bytes, which contains the email. */
const MAX_ITEMS = 10

/** Converts a member of an error to text. Some senders store their service's response, an object, in `message`. */
function readText(value: unknown): string {
  if (typeof value === "string") return value
  if (value === undefined) return ""
  // Strings are not truncated, because the rest of a truncated token would not be masked.
  const shown = { depth: 0, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: MAX_ITEMS, maxStringLength: null }
  return inspect(value, { ...shown, customInspect: false })
}

/** Reads a member of an error as text. Catches the error of a getter. */
function readMember(error: Error, member: "name" | "message" | "stack"): string {
  try {
    return readText(Reflect.get(error, member))
  } catch {
    return `a ${member} that can't be read`
  }
}

/** Lists the texts to mask: the token as plain text, URL-encoded and JSON-encoded, the code with and without hyphen. */
const listEncodings = ({ token, code }: Link): string[] => [
  token,
  encodeURIComponent(token),
  JSON.stringify(token).slice(1, -1),
  ...(code === undefined ? [] : [code, formatCode(code)]),
]

/**
 * Copies the name, message and stack of a sender's error for the log. Other members are left out, because HTTP clients
 * attach the request, which contains the email. The link's token and code are masked, because access to the log must
 * not allow a sign-in.
 */
export function senderError(value: unknown, link: Link): Error {
  const error = asError(value)
  const mask = (text: string) =>
    listEncodings(link).reduce((masked, encoding) => masked.replaceAll(encoding, "[masked]"), text)
  const sanitized = new Error(mask(readMember(error, "message")))
  sanitized.name = mask(readMember(error, "name")) || "Error"
  const stackFrames = readMember(error, "stack")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
  sanitized.stack = [`${sanitized.name}: ${sanitized.message}`, ...stackFrames.map(mask)].join("\n")
  return sanitized
}

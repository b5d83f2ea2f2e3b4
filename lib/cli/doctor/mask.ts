import { printable } from "../../logging/redact.js"

/** Shorter secrets are also parts of ordinary words, so they are not masked. */
const MIN_LENGTH = 6

const NAME = /secret|pass|token|key|credential|_url$|server|dsn/i

/** The password in the options of an email server is two levels deep. Deeper values are internal objects. */
const MAX_DEPTH = 3

/** Returns the password of an address, in plain and in percent-encoded form. */
function readPasswords(text: string): string[] {
  if (!URL.canParse(text)) return []
  const { password } = new URL(text)
  if (password === "") return []
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}

/** Finds the secrets in a value: the password of an address, or the whole value. */
function findSecrets(name: string, value: unknown, depth = MAX_DEPTH): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => findSecrets(name, item, depth))
  if (typeof value === "object" && value !== null)
    return depth === 0 ? [] : Object.entries(value).flatMap(([key, item]) => findSecrets(key, item, depth - 1))
  if (typeof value !== "string") return []
  return NAME.test(name) && !value.includes("://") ? [value] : readPasswords(value)
}

/** Creates a function that replaces these secrets in a text. */
export function createValueMask(secrets: readonly string[]): (text: string) => string {
  const found = secrets.filter(({ length }) => length >= MIN_LENGTH)
  const longestFirst = [...new Set(found)].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, "***"), text)
}

/** Creates a function that replaces the secrets among these values in a text, and escapes its control characters. */
export function createMask(named: readonly (readonly [name: string, value: unknown])[]): (text: string) => string {
  const mask = createValueMask(named.flatMap(([name, value]) => findSecrets(name, value)))
  return (text) => mask(text).split("\n").map(printable).join("\n")
}

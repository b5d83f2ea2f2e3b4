import { printable } from "../../logging/redact.js"

/** Shorter secrets are not masked, because they may also occur in ordinary words. */
const MIN_LENGTH = 6

/** Matches the names of variables and options whose values are secrets. */
const SECRET_NAME = /secret|pass|token|key|credential|_url$|server|dsn/i

/**
 * How deep options are searched. The password of an email server is two levels deep; deeper values are internal
 * objects.
 */
const MAX_DEPTH = 3

/** Returns the password of a URL, in plain and in percent-encoded form. */
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

/** Returns the secrets in a value: the password of a URL, or the whole text if `name` is the name of a secret. */
function findSecrets(name: string, value: unknown, depth = MAX_DEPTH): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => findSecrets(name, item, depth))
  if (typeof value === "object" && value !== null)
    return depth === 0 ? [] : Object.entries(value).flatMap(([key, item]) => findSecrets(key, item, depth - 1))
  if (typeof value !== "string") return []
  return SECRET_NAME.test(name) && !value.includes("://") ? [value] : readPasswords(value)
}

/** Returns a function that replaces these secrets in a text with "***". */
export function createValueMask(secrets: readonly string[]): (text: string) => string {
  const found = secrets.filter(({ length }) => length >= MIN_LENGTH)
  const longestFirst = [...new Set(found)].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, "***"), text)
}

/**
 * Returns a function that replaces the secrets in `named` with "***" in a text, and escapes control characters other
 * than line breaks.
 */
export function createMask(named: readonly (readonly [name: string, value: unknown])[]): (text: string) => string {
  const mask = createValueMask(named.flatMap(([name, value]) => findSecrets(name, value)))
  return (text) => mask(text).split("\n").map(printable).join("\n")
}

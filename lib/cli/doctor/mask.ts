/** Shorter texts stand in other words too. */
const MIN_LENGTH = 6

const NAME = /secret|pass|token|key|credential|_url$|server|dsn/i

/** Options of a mail server have their password two steps down; what is deeper is a machine's own. */
const MAX_DEPTH = 3

/** What stands in an address before the host. */
function passwordsIn(text: string): string[] {
  if (!URL.canParse(text)) return []
  const { password } = new URL(text)
  if (password === "") return []
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}

/** Addresses are told, without their passwords; other secrets are not. */
function secretsIn(name: string, value: unknown, depth = MAX_DEPTH): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(name, item, depth))
  if (typeof value === "object" && value !== null)
    return depth === 0 ? [] : Object.entries(value).flatMap(([key, item]) => secretsIn(key, item, depth - 1))
  if (typeof value !== "string") return []
  return NAME.test(name) && !value.includes("://") ? [value] : passwordsIn(value)
}

/** A function that takes these texts out of another. */
export function maskOf(secrets: readonly string[]): (text: string) => string {
  const found = secrets.filter(({ length }) => length >= MIN_LENGTH)
  const longestFirst = [...new Set(found)].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, "***"), text)
}

/** A function that takes the secrets among these values out of a text. */
export const createMask = (named: readonly (readonly [name: string, value: unknown])[]): ((text: string) => string) =>
  maskOf(named.flatMap(([name, value]) => secretsIn(name, value)))

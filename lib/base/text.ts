/** Describes the type of a value, without the value itself, which may be secret. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

/** Returns the prefix of a provider's environment variables: `AUTH_MICROSOFT_ENTRA_ID` for "microsoft-entra-id". */
export const envPrefix = (id: string): string => `AUTH_${id.toUpperCase().replace(/-/g, "_")}`

/**
 * Returns a copy with its own memory. A substring references the text that it was cut from, for example a whole
 * `Cookie` header, and would keep that text in memory.
 */
export const copyText = (text: string): string => Buffer.from(text).toString()

/** Removes the slashes at the end of a text. A regular expression would take quadratic time for many slashes. */
export function trimTrailingSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === "/") end--
  return text.slice(0, end)
}

/** Returns the distinct origins of the URLs. Text that is not a URL is ignored. */
export const listOrigins = (urls: readonly (string | undefined)[]): string[] => [
  ...new Set(urls.flatMap((url) => (url && URL.canParse(url) ? [new URL(url).origin] : []))),
]

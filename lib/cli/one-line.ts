/** Formats an error in one line. For several errors, such as those for the addresses of one host, it uses the first. */
export function oneLine(error: unknown): string {
  const { errors, message, code } = Object(error)
  if (!message && Array.isArray(errors) && errors.length > 0) return oneLine(errors[0])
  return String(message || code || error)
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ")
}

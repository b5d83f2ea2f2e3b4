/** Removes the slashes at the end of a text. A regular expression would take quadratic time. */
export function trimTrailingSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === "/") end--
  return text.slice(0, end)
}

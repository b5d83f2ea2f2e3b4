/** Text that is markup already. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | readonly Html[] | undefined

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "")

function toText(part: Part): string {
  if (part === undefined) return ""
  if (part instanceof Html) return part.text
  return typeof part === "object" ? part.map(({ text }) => text).join("\n") : escaped(String(part))
}

/** Markup, in which everything put in is escaped unless it was made by this function too. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const [first = "", ...rest] = strings
  return new Html(first + rest.map((text, index) => toText(parts[index]) + text).join(""))
}

/** For constants of ours. */
html.trusted = (text: string): Html => new Html(text)

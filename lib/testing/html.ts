/** Markup that is trusted, and therefore not escaped. */
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

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "")

function toText(part: Part): string {
  if (part === undefined) return ""
  if (part instanceof Html) return part.text
  return typeof part === "object" ? part.map(({ text }) => text).join("\n") : escapeHtml(String(part))
}

/** A template tag that creates markup. Inserted values are escaped, unless they are markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const [first = "", ...rest] = strings
  return new Html(first + rest.map((text, index) => toText(parts[index]) + text).join(""))
}

/** Marks a constant as markup. Its text is not escaped. */
html.trusted = (text: string): Html => new Html(text)

/** A control of a form, with all that its tag says. */
export interface FormInput {
  name: string
  type: string
  value: string
  attributes: Readonly<Record<string, string>>
}

export interface FormButton extends FormInput {
  /** What stands on it, tags removed. */
  label: string
}

export interface Form {
  action: string
  method: "GET" | "POST"
  /** What a browser would send if the person filled in nothing and pressed no named button. */
  fields: Record<string, string>
  inputs: FormInput[]
  buttons: FormButton[]
  attributes: Readonly<Record<string, string>>
  /** What stands between the form's tags. */
  html: string
}

const ATTRIBUTES = `((?:"[^"]*"|'[^']*'|[^>"'])*)`
const FORM = new RegExp(`<form\\b${ATTRIBUTES}>([\\s\\S]*?)</form>`, "gi")
const INPUT = new RegExp(`<input\\b${ATTRIBUTES}>`, "gi")
const BUTTON = new RegExp(`<button\\b${ATTRIBUTES}>([\\s\\S]*?)</button>`, "gi")
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" }
/** Types that a browser leaves out unless they are pressed or checked. */
const UNSENT = ["submit", "button", "image", "reset", "file"]

/** Text as the page shows it. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16))
    if (decimal) return String.fromCodePoint(Number(decimal))
    return ENTITIES[name ?? ""] ?? whole
  })
}

function parseAttributes(text = ""): Record<string, string> {
  const found = [...text.matchAll(ATTRIBUTE)]
  return Object.fromEntries(
    found.map(([, name = "", ...values]) => [name.toLowerCase(), decodeEntities(values.find(Boolean) ?? "")]),
  )
}

function toInput(attributes: Record<string, string>, defaultType: string): FormInput {
  return {
    name: attributes["name"] ?? "",
    type: (attributes["type"] ?? defaultType).toLowerCase(),
    value: attributes["value"] ?? "",
    attributes,
  }
}

function isSent({ name, type, attributes }: FormInput): boolean {
  if (!name || UNSENT.includes(type) || "disabled" in attributes) return false
  return !["checkbox", "radio"].includes(type) || "checked" in attributes
}

function toForm([, tag, html = ""]: readonly (string | undefined)[]): Form {
  const attributes = parseAttributes(tag)
  const inputs = [...html.matchAll(INPUT)].map(([, text]) => toInput(parseAttributes(text), "text"))
  const buttons = [...html.matchAll(BUTTON)].map(([, text, label = ""]) => ({
    ...toInput(parseAttributes(text), "submit"),
    label: visibleText(label),
  }))
  return {
    action: attributes["action"] ?? "",
    method: attributes["method"]?.toUpperCase() === "POST" ? "POST" : "GET",
    fields: Object.fromEntries(inputs.filter(isSent).map(({ name, value }) => [name, value])),
    inputs,
    buttons,
    attributes,
    html,
  }
}

/** The forms of a page, in its order. */
export function parseForms(html: string): Form[] {
  return [...html.replace(/<!--[\s\S]*?-->/g, "").matchAll(FORM)].map(toForm)
}

/** What a person reads: no tags, no styles, entities decoded, white space joined. */
export function visibleText(html: string): string {
  const bare = html.replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " ")
  return decodeEntities(bare).replace(/\s+/g, " ").trim()
}

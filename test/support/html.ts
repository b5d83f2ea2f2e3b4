/** A form control with its attributes. */
export interface FormInput {
  name: string
  type: string
  value: string
  attributes: Readonly<Record<string, string>>
}

export interface FormButton extends FormInput {
  /** Its text without tags. */
  label: string
}

export interface Form {
  action: string
  method: "GET" | "POST"
  /** The fields that a browser sends if the user changes nothing and presses no named button. */
  fields: Record<string, string>
  inputs: FormInput[]
  buttons: FormButton[]
  attributes: Readonly<Record<string, string>>
  /** The content of the form element. */
  html: string
}

const ATTRIBUTES = `((?:"[^"]*"|'[^']*'|[^>"'])*)`
const FORM = new RegExp(`<form\\b${ATTRIBUTES}>([\\s\\S]*?)</form>`, "gi")
const INPUT = new RegExp(`<input\\b${ATTRIBUTES}>`, "gi")
const BUTTON = new RegExp(`<button\\b${ATTRIBUTES}>([\\s\\S]*?)</button>`, "gi")
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" }
/** Types that a browser does not send unless they are pressed. */
const UNSENT = ["submit", "button", "image", "reset", "file"]

/** Decodes HTML entities. */
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

/** The forms of a page, in order. */
export function parseForms(html: string): Form[] {
  return [...html.replace(/<!--[\s\S]*?-->/g, "").matchAll(FORM)].map(toForm)
}

/** The visible text: without tags and styles, with decoded entities and normalized white space. */
export function visibleText(html: string): string {
  const bare = html.replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " ")
  return decodeEntities(bare).replace(/\s+/g, " ").trim()
}

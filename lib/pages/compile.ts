import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Script } from "node:vm"
import type { Options, TemplateFunction } from "ejs"
import { isError } from "../errors/errors.js"

const OPTIONS: Options & { readonly unsafePrototypeLocals: boolean } = {
  // Without `with`, so a view can only read members of `page`.
  strict: true,
  // Saves a copy of all props for each view. It is unsafe only together with `with`.
  unsafePrototypeLocals: true,
  localsName: "page",
  // This include replaces that of EJS, which reads any file and caches templates process-wide.
  destructuredLocals: ["include"],
  cache: false,
  // Adds line numbers, so that an error in a view states its file and line.
  compileDebug: true,
}

/** Line breaks and bidirectional control characters. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu

/** Formats a value for plain text: "&" stays "&", and the value cannot start a new line. */
const toPlainText = (value: unknown): string => String(value ?? "").replace(CONTROL_CHARACTERS, "")

/** True for the plain-text parts of emails: `sign-in.text.ejs` and `sign-in.subject.ejs`. */
const isPlainText = (path: string): boolean => /\.(?:text|subject)\.ejs$/.test(path)

/** Finds the line of a JavaScript syntax error in a view. EJS does not report it, but marks each line in the generated code. */
function syntaxErrorLine(source: string): string | undefined {
  try {
    new Script(`() => {${source}}`, { filename: "view" })
  } catch (error) {
    // The error can belong to another realm, for example under Jest, where `instanceof` fails.
    const line = /^view:(\d+)/.exec(String(Reflect.get(Object(error), "stack")))?.[1]
    const before = source.split("\n").slice(0, Number(line ?? 0))
    return /__line = (\d+)/.exec(before.findLast((text) => text.includes("; __line = ")) ?? "")?.[1] ?? "1"
  }
  return undefined
}

/**
 * Compiles a view to a function.
 *
 * @throws Error with file and line, when the view is not valid EJS
 */
export function compileView(path: string): TemplateFunction {
  // Loaded with the first page, because an application with its own pages does not need it.
  const { Template }: typeof import("ejs") = createRequire(import.meta.url)("ejs")
  const options = { ...OPTIONS, filename: path, ...(isPlainText(path) && { escape: toPlainText }) }
  const template = new Template(readFileSync(path, "utf8").replace(/^\uFEFF/, ""), options)
  try {
    // The options request neither an asynchronous function nor a browser function.
    return template.compile() as TemplateFunction
  } catch (error) {
    const line = error instanceof SyntaxError ? syntaxErrorLine(template.source) : Reflect.get(template, "currentLine")
    const [reason = ""] = isError(error) ? error.message.split(/ in .* while compiling ejs|\n/) : []
    throw new Error(`${path}:${line ?? 1} ${reason}`, { cause: error })
  }
}

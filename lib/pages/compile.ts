import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Script } from "node:vm"
import type { Options, TemplateFunction } from "ejs"
import { isError } from "../errors.js"

const OPTIONS: Options = {
  strict: true,
  localsName: "page",
  // Our include takes the place of EJS' own, which reads any file and keeps templates for the whole process.
  destructuredLocals: ["include"],
  cache: false,
  // Brings line numbers: an error in a view names its file and line.
  compileDebug: true,
}

/** What ends a line, and what reverses the order in which a line is read. */
const NOT_PLAIN = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu

/** A value in text that is not HTML: "&" stays "&", and nothing in it can begin a line of its own. */
const writePlain = (value: unknown): string => String(value ?? "").replace(NOT_PLAIN, "")

/** Mails have parts that are plain text: `sign-in.text.ejs` and `sign-in.subject.ejs`. */
const isPlainText = (path: string): boolean => /\.(?:text|subject)\.ejs$/.test(path)

/** The line of a view that is no JavaScript. EJS does not know it, but marks each line in what it makes of the view. */
function syntaxErrorLine(source: string): string | undefined {
  try {
    new Script(`() => {${source}}`, { filename: "view" })
  } catch (error) {
    // The error may come from another realm than ours, under Jest for instance: `instanceof` would not know it.
    const line = /^view:(\d+)/.exec(String(Reflect.get(Object(error), "stack")))?.[1]
    const before = source.split("\n").slice(0, Number(line ?? 0))
    return /__line = (\d+)/.exec(before.findLast((text) => text.includes("; __line = ")) ?? "")?.[1] ?? "1"
  }
  return undefined
}

/**
 * Reads a view and makes a function of it.
 *
 * @throws an Error that names the file and the line, when the view is no EJS
 */
export function compileView(path: string): TemplateFunction {
  // Loaded with the first page, not with the package: an application with pages of its own never needs it.
  const { Template }: typeof import("ejs") = createRequire(import.meta.url)("ejs")
  const options = { ...OPTIONS, filename: path, ...(isPlainText(path) && { escape: writePlain }) }
  const template = new Template(readFileSync(path, "utf8").replace(/^\uFEFF/, ""), options)
  try {
    // The options ask for neither an asynchronous function nor one for browsers.
    return template.compile() as TemplateFunction
  } catch (error) {
    const line = error instanceof SyntaxError ? syntaxErrorLine(template.source) : Reflect.get(template, "currentLine")
    const [reason = ""] = isError(error) ? error.message.split(/ in .* while compiling ejs|\n/) : []
    throw new Error(`${path}:${line ?? 1} ${reason}`, { cause: error })
  }
}

import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Script } from "node:vm"
import type { Options, TemplateFunction } from "ejs"
import { isError } from "../errors/errors.js"

const OPTIONS: Options & { readonly unsafePrototypeLocals: boolean } = {
  // Compiles views without `with`, so that they can read props only as members of `page`.
  strict: true,
  // Without this option, EJS copies all props for each view. The option is unsafe only together with `with`.
  unsafePrototypeLocals: true,
  localsName: "page",
  // The prop `include` replaces the `include` of EJS, which can read any file and has a global cache.
  destructuredLocals: ["include"],
  cache: false,
  // Adds line numbers, so that the message of an error in a view contains file and line.
  compileDebug: true,
}

/** Matches control characters, line breaks, and the characters that change the direction of text. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu

/** Formats a value for plain text. Unlike in HTML, "&" stays unchanged. The value can't start a new line. */
const toPlainText = (value: unknown): string => String(value ?? "").replace(CONTROL_CHARACTERS, "")

/** True for the plain-text parts of emails: `sign-in.text.ejs` and `sign-in.subject.ejs`. */
const isPlainText = (path: string): boolean => /\.(?:text|subject)\.ejs$/.test(path)

/**
 * Returns the line of a JavaScript syntax error in a view; undefined if there is none. EJS does not report the line,
 * but the code that it generates contains the number of each line of the view.
 */
function syntaxErrorLine(generatedCode: string): string | undefined {
  try {
    new Script(`() => {${generatedCode}}`, { filename: "view" })
  } catch (error) {
    // `stack` is read without `instanceof`, which fails for an error of another realm, for example under Jest.
    const line = /^view:(\d+)/.exec(String(Reflect.get(Object(error), "stack")))?.[1]
    const precedingLines = generatedCode.split("\n").slice(0, Number(line ?? 0))
    return /__line = (\d+)/.exec(precedingLines.findLast((text) => text.includes("; __line = ")) ?? "")?.[1] ?? "1"
  }
  return undefined
}

/**
 * Compiles a view to a function.
 *
 * @throws Error with file and line if the view is not valid EJS
 */
export function compileView(path: string): TemplateFunction {
  // EJS is loaded with the first page, because an application with its own pages does not need it.
  const { Template }: typeof import("ejs") = createRequire(import.meta.url)("ejs")
  const options = { ...OPTIONS, filename: path, ...(isPlainText(path) && { escape: toPlainText }) }
  const template = new Template(readFileSync(path, "utf8").replace(/^\uFEFF/, ""), options)
  try {
    // With these options, the function is synchronous and runs in Node.js. The type of `compile` allows others too.
    return template.compile() as TemplateFunction
  } catch (error) {
    const line = error instanceof SyntaxError ? syntaxErrorLine(template.source) : Reflect.get(template, "currentLine")
    const [reason = ""] = isError(error) ? error.message.split(/ in .* while compiling ejs|\n/) : []
    throw new Error(`${path}:${line ?? 1} ${reason}`, { cause: error })
  }
}

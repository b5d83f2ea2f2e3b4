import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { CODES, type MessageCode, SUBJECTS } from "../codes/index.js"
import type { CodeRow } from "../codes/row.js"
import { nearestName } from "../config/nearest-name.js"
import { MESSAGE_CODES } from "../error-codes.js"
import type { ErrorType } from "../errors.js"
import { defineCommand, type Result, UsageError } from "./command.js"
import { columns } from "./help.js"

const isCode = (text: string): text is MessageCode => Object.hasOwn(CODES, text)
const isType = (text: string): text is ErrorType => Object.hasOwn(MESSAGE_CODES, text)

/** A code as logs show it: in brackets, behind those of the library and of the level, and before a message. */
const LOGGED = /^(?:\[latchkey\]\[\w+\])?\[?([^\]]*)/

/** The code that is meant: logs show it in brackets, and beside it the type of the error. */
function requireCode(typed: string): MessageCode {
  const word = LOGGED.exec(typed)?.[1] ?? ""
  if (isCode(word)) return word
  if (isType(word)) return MESSAGE_CODES[word]
  const meant = nearestName(word, Object.keys(CODES))
  const hint = meant ? `; did you mean ${meant}?` : ": npx latchkey explain lists them"
  throw new UsageError(`there is no code ${JSON.stringify(typed)}${hint}`)
}

/** Markdown for a terminal: code stands apart by its place there, and needs no marks. */
const plain = (markdown: string): string =>
  markdown
    .replace(/^```\w*\n([\s\S]*?)^```$/gm, (_, code: string) => code.trimEnd().replace(/^(?=.)/gm, "  "))
    .replaceAll("`", "")

const toJson = (code: MessageCode) => ({ code, ...CODES[code] })

/** The documentation of this very version lies in the package, beside `dist/`. */
const pageOf = (see: string): string =>
  `${relative(process.cwd(), fileURLToPath(new URL("../docs", import.meta.url)))}/${see}`

function describeRow(code: MessageCode, { title, cause, remedy, see }: CodeRow): string {
  return [`${code}: ${title}`, plain(cause), plain(remedy), `More: ${pageOf(see)}`].join("\n\n")
}

const explanationOf = (codes: readonly MessageCode[]): Result => ({
  json: { codes: codes.map(toJson) },
  text: codes.map((code) => describeRow(code, CODES[code])).join("\n\n\n"),
})

function listOfAll(): Result {
  const lists = Object.entries(SUBJECTS).map(([subject, rows]) => {
    const titles = Object.entries(rows).map(([code, { title }]) => [code, title] as const)
    return `${subject}\n\n${columns(titles)}`
  })
  // The keys of the table are the codes.
  const codes = (Object.keys(CODES) as MessageCode[]).map(toJson)
  return { json: { codes }, text: [...lists, "npx latchkey explain CODE says more of each."].join("\n\n") }
}

/** As many as a configuration may have problems. */
const MOST_OPERANDS = 50

/** `npx latchkey explain` */
export const explainCommand = defineCommand({
  summary: "says what a code in the log means, and what to write",
  about: "Says what a code in the log means, what may be the cause, and what to write.",
  more: "A code stands in brackets: [latchkey][error][redirect-uri-mismatch]. The type of an error does too. Without one it lists them all.",
  operands: { shown: "[CODE ...]", most: MOST_OPERANDS },
  options: {},
  async run({ operands }) {
    return operands.length === 0 ? listOfAll() : explanationOf([...new Set(operands.map(requireCode))])
  },
})

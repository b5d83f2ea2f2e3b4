import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { nearestName } from "../config/nearest-name.js"
import type { CodeRow } from "../errors/codes/define-codes.js"
import { CODES, type MessageCode, SUBJECTS } from "../errors/codes/index.js"
import { MESSAGE_CODES } from "../errors/error-codes.js"
import type { ErrorType } from "../errors/errors.js"
import { defineCommand, type Result, UsageError } from "./command.js"
import { columns } from "./help.js"

const isCode = (text: string): text is MessageCode => Object.hasOwn(CODES, text)
const isType = (text: string): text is ErrorType => Object.hasOwn(MESSAGE_CODES, text)

/** Matches the code at the start of a log line: `[latchkey][error][redirect-uri-mismatch] …`. */
const LOG_LINE = /^(?:\[latchkey\]\[\w+\])?\[?([^\]]*)/

/**
 * Converts an operand to a code. It may be a code, a log line, or the type of an error.
 *
 * @throws UsageError if the code does not exist
 */
function parseCode(operand: string): MessageCode {
  const word = LOG_LINE.exec(operand)?.[1] ?? ""
  if (isCode(word)) return word
  if (isType(word)) return MESSAGE_CODES[word]
  const suggestion = nearestName(word, Object.keys(CODES))
  const hint = suggestion ? `; did you mean ${suggestion}?` : ": npx latchkey explain lists them"
  throw new UsageError(`there is no code ${JSON.stringify(operand)}${hint}`)
}

/** Converts Markdown for a terminal: code blocks are indented, and backticks are removed. */
const toPlainText = (markdown: string): string =>
  markdown
    .replace(/^```\w*\n([\s\S]*?)^```$/gm, (_, code: string) => code.trimEnd().replace(/^(?=.)/gm, "  "))
    .replaceAll("`", "")

const toJson = (code: MessageCode) => ({ code, ...CODES[code] })

/** The path of a page in the documentation of this version, next to `dist/`. */
const pagePath = (page: string): string =>
  `${relative(process.cwd(), fileURLToPath(new URL("../docs", import.meta.url)))}/${page}`

function describeCode(code: MessageCode, { title, cause, remedy, docs }: CodeRow): string {
  return [`${code}: ${title}`, toPlainText(cause), toPlainText(remedy), `More: ${pagePath(docs)}`].join("\n\n")
}

const explain = (codes: readonly MessageCode[]): Result => ({
  json: { codes: codes.map(toJson) },
  text: codes.map((code) => describeCode(code, CODES[code])).join("\n\n\n"),
})

function listAll(): Result {
  const lists = Object.entries(SUBJECTS).map(([subject, rows]) => {
    const titles = Object.entries(rows).map(([code, { title }]) => [code, title] as const)
    return `${subject}\n\n${columns(titles)}`
  })
  const codes = (Object.keys(CODES) as MessageCode[]).map(toJson)
  return { json: { codes }, text: [...lists, "For an explanation run: npx latchkey explain CODE"].join("\n\n") }
}

/** Enough for all problems that one configuration can have. */
const MAX_OPERANDS = 50

/** `npx latchkey explain` */
export const explainCommand = defineCommand({
  summary: "explains a code from the log, and how to fix the problem",
  about: "Explains a code from the log: its meaning, its cause, and the fix.",
  more: "The log shows codes in brackets: [latchkey][error][redirect-uri-mismatch]. The type of an error is accepted too. Without a code it lists all codes.",
  operands: { usage: "[CODE ...]", max: MAX_OPERANDS },
  options: {},
  async run({ operands }) {
    return operands.length === 0 ? listAll() : explain([...new Set(operands.map(parseCode))])
  },
})

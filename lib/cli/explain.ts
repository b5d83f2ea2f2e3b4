import { join, relative } from "node:path"
import { ERRORS, type ErrorType } from "../errors/errors.js"
import { docsFolder, readExplanation, readSubjects } from "../errors/explanation.js"
import type { MessageCode } from "../errors/message-code.js"
import { defineCommand, type Result, UsageError } from "./command.js"
import { columns, didYouMean } from "./text.js"

const isType = (text: string): text is ErrorType => Object.hasOwn(ERRORS, text)

/** Matches a code, alone or at the start of a log line: `[latchkey][error][redirect-uri-mismatch] …`. */
const LOG_LINE = /^(?:\[latchkey\]\[\w+\])?\[?([^\]]*)/

/**
 * Returns the code that an operand names. The operand is a code, a log line, or the type of an error.
 *
 * @throws UsageError if the code does not exist
 */
function parseCode(operand: string): MessageCode {
  const word = LOG_LINE.exec(operand)?.[1] ?? ""
  if (isType(word)) return ERRORS[word].messageCode
  const codes = readSubjects().flatMap((subject) => subject.codes)
  const code = codes.find((name) => name === word)
  if (code) return code
  const hint = didYouMean(word, codes, ": npx latchkey explain lists them")
  throw new UsageError(`there is no code ${JSON.stringify(operand)}${hint}`)
}

/** Converts Markdown to text for a terminal: code blocks are indented, and backticks are removed. */
const toPlainText = (markdown: string): string =>
  markdown
    .replace(/^```\w*\n([\s\S]*?)^```$/gm, (_, code: string) => code.trimEnd().replace(/^(?=.)/gm, "  "))
    .replaceAll("`", "")

const toJson = (code: MessageCode) => ({ code, ...readExplanation(code) })

function describeCode(code: MessageCode): string {
  const { title, cause, fix, docs } = readExplanation(code)
  const more = `More: ${relative(process.cwd(), join(docsFolder(), docs))}`
  return [`${code}: ${title}`, toPlainText(cause), toPlainText(fix), more].join("\n\n")
}

const explain = (codes: readonly MessageCode[]): Result => ({
  json: { codes: codes.map(toJson) },
  text: codes.map(describeCode).join("\n\n\n"),
})

function listAll(): Result {
  const subjects = readSubjects()
  const lists = subjects.map(({ subject, codes }) => {
    const titles = codes.map((code) => [code, readExplanation(code).title] as const)
    return `${subject}\n\n${columns(titles)}`
  })
  return {
    json: { codes: subjects.flatMap(({ codes }) => codes.map(toJson)) },
    text: [...lists, "For an explanation run: npx latchkey explain CODE"].join("\n\n"),
  }
}

/**
 * The maximum number of codes in one call. The error of an invalid configuration suggests a call with the codes of all
 * its problems, which are fewer.
 */
const MAX_CODES = 50

/** `npx latchkey explain` */
export const explainCommand = defineCommand({
  summary: "explains a code from the log, and how to fix the problem",
  about: "Explains a code from the log: its meaning, its cause, and the fix.",
  more: "The log shows codes in brackets: [latchkey][error][redirect-uri-mismatch]. The type of an error is accepted too. Without CODE, the command lists all codes.",
  operands: { usage: "[CODE ...]", max: MAX_CODES },
  options: {},
  async run({ operands }) {
    return operands.length === 0 ? listAll() : explain([...new Set(operands.map(parseCode))])
  },
})

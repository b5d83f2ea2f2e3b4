/**
 * The explanation of a failure for developers. Like the log, it is in English only.
 *
 * @module
 */
import type { FailureRecord } from "../logging/logger.js"
import type { DeveloperProps, RemedyProps } from "./props.js"

/** Matches the code, lists and paragraphs of the Markdown in the table of codes. */
const BLOCKS = /^```\w*\n([\s\S]*?)\n```$|^(- .+(?:\n- .+)*)$|^(.+)$/gm

/** Splits a text at its backticks, so that every second part is code. */
const splitCode = (text: string): readonly string[] => text.split("`")

function remedyProps(markdown: string): RemedyProps[] {
  return [...markdown.matchAll(BLOCKS)].map(([, code, list, text = ""]) => {
    if (code !== undefined) return { code }
    if (list !== undefined) return { items: list.split("\n").map((item) => splitCode(item.slice(2))) }
    return { parts: splitCode(text) }
  })
}

const displayValue = (fact: unknown): string => (typeof fact === "string" ? fact : JSON.stringify(fact))

/** Builds the explanation from the failure's log record and the table of codes. */
export async function developerProps({ code, headline, cause, facts }: FailureRecord): Promise<DeveloperProps> {
  // Loaded on demand, to keep the texts out of the package's start-up.
  const { CODES } = await import("../errors/codes/index.js")
  const row = CODES[code ?? "unexpected-error"]
  const { reference: _, ...others } = facts
  const otherFacts = Object.entries(others).map(([name, fact]) => ({ name, text: displayValue(fact) }))
  return {
    code: code ?? "unexpected-error",
    title: row.title,
    cause: splitCode(row.cause),
    facts: [
      { name: "error", text: headline },
      ...(cause === undefined ? [] : [{ name: "cause", text: cause }]),
      ...otherFacts,
    ],
    remedy: remedyProps(row.remedy),
    docs: `node_modules/latchkey/docs/${row.docs}`,
  }
}

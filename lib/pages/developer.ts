/**
 * The explanation of a failure that the pages show to developers. Like the log, it is in English only.
 *
 * @module
 */
import { readExplanation } from "../errors/explanation.js"
import type { FailureRecord } from "../logging/logger.js"
import type { DeveloperProps, FixProps } from "./props.js"

/** Matches one block of an explanation's Markdown: code, a list, or a paragraph. */
const BLOCKS = /^```\w*\n([\s\S]*?)\n```$|^(- .+(?:\n- .+)*)$|^(.+)$/gm

/** Splits a text at its backticks. In the result, every second part, beginning with the second one, is code. */
const splitCode = (text: string): readonly string[] => text.split("`")

function fixProps(markdown: string): FixProps[] {
  return [...markdown.matchAll(BLOCKS)].map(([, code, list, text = ""]) => {
    if (code !== undefined) return { code }
    if (list !== undefined) return { items: list.split("\n").map((item) => splitCode(item.slice(2))) }
    return { parts: splitCode(text) }
  })
}

const displayValue = (fact: unknown): string => (typeof fact === "string" ? fact : JSON.stringify(fact))

/** Builds the explanation from the failure's log record and from the documentation of its code. */
export function developerProps({ code = "unexpected-error", headline, cause, facts }: FailureRecord): DeveloperProps {
  const explanation = readExplanation(code)
  const { reference: _, ...others } = facts
  const otherFacts = Object.entries(others).map(([name, fact]) => ({ name, text: displayValue(fact) }))
  return {
    code,
    title: explanation.title,
    cause: splitCode(explanation.cause),
    facts: [
      { name: "error", text: headline },
      ...(cause === undefined ? [] : [{ name: "cause", text: cause }]),
      ...otherFacts,
    ],
    fix: fixProps(explanation.fix),
    docs: `node_modules/latchkey/docs/${explanation.docs}`,
  }
}

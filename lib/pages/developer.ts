/**
 * What a page tells the developer of a failure. It is for people who read the log too, so it is in English alone.
 *
 * @module
 */
import type { FailureRecord } from "../logger.js"
import type { DeveloperProps, RemedyProps } from "./props.js"

/** Paragraphs, lists and code of the Markdown that the table of codes is written in. */
const BLOCKS = /^```\w*\n([\s\S]*?)\n```$|^(- .+(?:\n- .+)*)$|^(.+)$/gm

/** Text whose every second part is code. */
const partsOf = (text: string): readonly string[] => text.split("`")

function remedyProps(markdown: string): RemedyProps[] {
  return [...markdown.matchAll(BLOCKS)].map(([, code, list, text = ""]) => {
    if (code !== undefined) return { code }
    if (list !== undefined) return { items: list.split("\n").map((item) => partsOf(item.slice(2))) }
    return { parts: partsOf(text) }
  })
}

const shown = (fact: unknown): string => (typeof fact === "string" ? fact : JSON.stringify(fact))

/** What was seen, with what the log says of it; what to do is said by its code. */
export async function developerProps({ code, headline, behind, facts }: FailureRecord): Promise<DeveloperProps> {
  // Loaded where somebody looks: whoever imports the package has no use for the words.
  const { CODES } = await import("../codes/index.js")
  const row = CODES[code ?? "unexpected-error"]
  const { reference: _, ...others } = facts
  const seen = Object.entries(others).map(([name, fact]) => ({ name, text: shown(fact) }))
  return {
    code: code ?? "unexpected-error",
    title: row.title,
    cause: partsOf(row.cause),
    seen: [
      { name: "error", text: headline },
      ...(behind === undefined ? [] : [{ name: "behind it", text: behind }]),
      ...seen,
    ],
    remedy: remedyProps(row.remedy),
    see: `node_modules/latchkey/docs/${row.see}`,
  }
}

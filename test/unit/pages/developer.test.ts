import { readExplanation, readSubjects } from "../../../lib/errors/explanation.js"
import type { MessageCode } from "../../../lib/errors/message-code.js"
import { developerProps } from "../../../lib/pages/developer.js"
import type { FixProps } from "../../../lib/pages/props.js"

const propsOf = (code: MessageCode) => developerProps({ code, headline: "Error: no", cause: undefined, facts: {} })

/** Converts the blocks back to Markdown. */
const markdownOf = ({ code, items, parts = [] }: FixProps): string => {
  if (code !== undefined) return code
  return items ? items.map((item) => `- ${item.join("`")}`).join("\n") : parts.join("`")
}

const withoutFences = (markdown: string) => markdown.replaceAll(/^```.*\n/gm, "").replaceAll("\n```", "")

describe("developerProps", () => {
  const codes = readSubjects().flatMap((subject) => subject.codes)

  it.each(codes)("contains the whole fix of %s, with code as code", (code) => {
    const { fix } = propsOf(code)
    const markdown = readExplanation(code).fix
    expect(fix.map(markdownOf).join("\n\n")).toBe(withoutFences(markdown))
    expect(fix.filter((block) => block.code !== undefined)).toHaveLength(markdown.split(/^```/m).length >> 1)
    expect(fix.filter(({ items }) => items)).toHaveLength(markdown.split(/(?<=^|\n\n)- /).length - 1)
  })
})

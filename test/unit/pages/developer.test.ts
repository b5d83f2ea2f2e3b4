import { CODES, type MessageCode } from "../../../lib/errors/codes/index.js"
import { developerProps } from "../../../lib/pages/developer.js"
import type { RemedyProps } from "../../../lib/pages/props.js"

const propsOf = (code: MessageCode) => developerProps({ code, headline: "Error: no", cause: undefined, facts: {} })

/** Converts the blocks back to Markdown. */
const markdownOf = ({ code, items, parts = [] }: RemedyProps): string => {
  if (code !== undefined) return code
  return items ? items.map((item) => `- ${item.join("`")}`).join("\n") : parts.join("`")
}

const withoutFences = (markdown: string) => markdown.replaceAll(/^```.*\n/gm, "").replaceAll("\n```", "")

describe("developerProps", () => {
  // Object.keys loses the type of the keys.
  it.each(Object.keys(CODES) as MessageCode[])("contains the whole remedy of %s, with code as code", async (code) => {
    const { remedy } = await propsOf(code)
    const markdown = CODES[code].remedy
    expect(remedy.map(markdownOf).join("\n\n")).toBe(withoutFences(markdown))
    expect(remedy.filter((block) => block.code !== undefined)).toHaveLength(markdown.split(/^```/m).length >> 1)
    expect(remedy.filter(({ items }) => items)).toHaveLength(markdown.split(/(?<=^|\n\n)- /).length - 1)
  })
})

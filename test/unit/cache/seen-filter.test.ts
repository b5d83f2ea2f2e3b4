import { randomBytes } from "node:crypto"
import { createSeenFilter } from "../../../lib/cache/seen-filter.js"

const tags = (count: number) => Array.from({ length: count }, () => randomBytes(32).toString("base64url"))

describe("createSeenFilter", () => {
  it("returns true for a tag from its second use on", () => {
    const hasSeen = createSeenFilter()
    const some = tags(1_000)
    for (const tag of some) hasSeen(tag)
    expect(some.filter(hasSeen)).toEqual(some)
  })

  it("returns true for less than one in thirty of 200,000 new tags", () => {
    const hasSeen = createSeenFilter()
    const falsePositives = tags(200_000).filter(hasSeen)
    expect(falsePositives.length).toBeLessThan(200_000 / 30)
  })
})

import { createTimeFormatter } from "../../../lib/sessions/codec.js"
import { fc } from "../../support/properties.js"

const LAST = 8.64e12

describe("createTimeFormatter", () => {
  it("formats a time as Date.prototype.toISOString does, in any order of times", () => {
    const textOf = createTimeFormatter()
    const seconds = fc.oneof(
      fc.integer({ min: -LAST, max: LAST }),
      fc.integer({ min: 1_700_000_000, max: 1_700_200_000 }),
      fc.double({ min: -LAST, max: LAST, noNaN: true }),
      fc.constantFrom(0, -1, 86_399, 86_400, LAST, -LAST),
    )
    fc.assert(fc.property(seconds, (at) => textOf(at) === new Date(at * 1000).toISOString()))
  })

  it.each([1e15, -1e15, Number.NaN, Number.POSITIVE_INFINITY, LAST + 1])(
    "returns undefined for the invalid time %d",
    (seconds) => {
      expect(createTimeFormatter()(seconds)).toBeUndefined()
    },
  )
})

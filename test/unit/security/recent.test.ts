import { createRecent } from "../../../lib/security/recent.js"
import { fc } from "../../support/properties.js"

const KEYS = Array.from({ length: 13 }, (_, i) => String(i))

/** After these uses, in this order. */
function recentAfter(size: number, uses: readonly string[]) {
  const recent = createRecent<string>(size)
  for (const key of uses) if (recent.get(key) === undefined) recent.set(key, `value of ${key}`)
  return recent
}

describe("what was used lately", () => {
  it("is there while no more than the size were used since, and no more than twice as many are kept (property)", () => {
    const uses = fc.array(fc.constantFrom(...KEYS), { maxLength: 60 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), uses, (size, keys) => {
        const lately = [...new Set([...keys].reverse())].slice(0, size)
        for (const key of lately) expect(recentAfter(size, keys).get(key)).toBe(`value of ${key}`)
        const kept = KEYS.filter((key) => recentAfter(size, keys).get(key) !== undefined)
        expect(kept.length).toBeLessThanOrEqual(2 * size)
      }),
    )
  })

  it("is bounded by what it weighs: at most twice the bound, and a piece", () => {
    const recent = createRecent<number>(100)
    for (let i = 0; i < 1_000; i++) recent.set(String(i), i, 30)
    const kept = Array.from({ length: 1_000 }, (_, i) => String(i)).filter((key) => recent.get(key) !== undefined)
    expect(kept.length).toBeLessThanOrEqual(8)
    expect(kept).toEqual(expect.arrayContaining(["997", "998", "999"]))
  })
})

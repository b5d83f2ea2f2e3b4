import { createLruCache } from "../../../lib/cache/lru-cache.js"
import { fc } from "../../support/properties.js"

const KEYS = Array.from({ length: 13 }, (_, i) => String(i))

/** Returns a cache after these uses, in this order. */
function cacheAfter(size: number, uses: readonly string[]) {
  const cache = createLruCache<string>(size)
  for (const key of uses) if (cache.get(key) === undefined) cache.set(key, `value of ${key}`)
  return cache
}

describe("createLruCache", () => {
  it("keeps the last `size` keys used, and at most twice as many keys (property)", () => {
    const uses = fc.array(fc.constantFrom(...KEYS), { maxLength: 60 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), uses, (size, keys) => {
        const recent = [...new Set([...keys].reverse())].slice(0, size)
        for (const key of recent) expect(cacheAfter(size, keys).get(key)).toBe(`value of ${key}`)
        const kept = KEYS.filter((key) => cacheAfter(size, keys).get(key) !== undefined)
        expect(kept.length).toBeLessThanOrEqual(2 * size)
      }),
    )
  })

  it("limits the total weight to twice the bound plus one entry", () => {
    const cache = createLruCache<number>(100)
    for (let i = 0; i < 1_000; i++) cache.set(String(i), i, 30)
    const kept = Array.from({ length: 1_000 }, (_, i) => String(i)).filter((key) => cache.get(key) !== undefined)
    expect(kept.length).toBeLessThanOrEqual(8)
    expect(kept).toEqual(expect.arrayContaining(["997", "998", "999"]))
  })
})

import { createBoundedSet } from "../../../lib/cache/bounded-set.js"

it("createBoundedSet adds an id once, and forgets the oldest beyond its size", () => {
  const ids = createBoundedSet(2)
  expect(["a", "a", "b", "a", "c", "b", "a"].map((id) => ids.addIfAbsent(id))).toEqual([
    true,
    false,
    true,
    false,
    true,
    false,
    true,
  ])
})

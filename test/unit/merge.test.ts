import { isPlainObject, merge, omitUndefined } from "../../lib/base/merge.js"

describe("merge", () => {
  const f = () => 1
  const url = new URL("https://x.test")
  it.each([
    [{ a: { b: 1, c: 2 } }, { a: { b: 3 } }, { a: { b: 3, c: 2 } }],
    [{ a: 1 }, { a: 2 }, { a: 2 }],
    [{ a: [1, 2, 3] }, { a: [4] }, { a: [4] }],
    [{ a: 1 }, { a: undefined }, { a: 1 }],
    [{ a: { b: 1 } }, { a: { b: undefined } }, { a: { b: 1 } }],
    [{ a: 1 }, { a: null }, { a: null }],
    [{ a: "text" }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: { b: 1 } }, { a: "text" }, { a: "text" }],
    [{ a: { b: 1 } }, { a: f }, { a: f }],
    [{ a: { b: 1 } }, { a: url }, { a: url }],
    [{ a: 1 }, {}, { a: 1 }],
    [{}, { a: { b: { c: 1 } } }, { a: { b: { c: 1 } } }],
  ])("merges %j and %j into %j", (base, over, expected) => {
    expect(merge(base, over)).toEqual(expected)
  })

  it("does not modify its arguments, and shares no plain object with them", () => {
    const base = Object.freeze({ a: Object.freeze({ b: 1 }) })
    const over = Object.freeze({ c: Object.freeze({ d: 1 }) })
    const merged = merge(base, over)
    expect(merged["c"]).not.toBe(over.c)
    expect(merged).toEqual({ a: { b: 1 }, c: { d: 1 } })
  })

  it("does not pollute a prototype", () => {
    const merged = merge({}, JSON.parse('{"__proto__":{"x":1},"a":{"__proto__":{"x":1}}}'))
    expect([Reflect.get({}, "x"), Reflect.get(merged, "x"), Reflect.get(Object(merged["a"]), "x")]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

it("omitUndefined drops undefined values only", () => {
  expect(Object.keys(omitUndefined({ a: undefined, b: null, c: 0, d: "", e: false }))).toEqual(["b", "c", "d", "e"])
  expect(omitUndefined(undefined)).toEqual({})
})

it.each([
  [{}, true],
  [Object.create(null), true],
  [[], false],
  [new Date(), false],
  [new URL("https://x.test"), false],
  [null, false],
  ["x", false],
  [() => 1, false],
  [new (class Own {})(), false],
])("isPlainObject(%p) is %s", (value, expected) => {
  expect(isPlainObject(value)).toBe(expected)
})

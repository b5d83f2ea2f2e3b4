import { parseEnv } from "node:util"
import { hasName, hasValue, withLines, withValue } from "../../../lib/cli/env-file.js"

describe("hasValue and hasName", () => {
  it.each(["A=x", "A = x", " export A=x", 'A="x"', "A='x' # why", "B=1\r\nA=x\r\n", "A=x\nA=", 'A="\nx"'])(
    "hasValue is true for %j",
    (text) => {
      expect(hasValue(text, "A")).toBe(true)
    },
  )

  it.each(["", "A=", "A=\nB=x", "A= # x", 'A=""', "export A=''", "A=\r\nB=x", "#A=x", "# A=x", "AA=x", "XA=x"])(
    "hasValue is false for %j",
    (text) => {
      expect(hasValue(text, "A")).toBe(false)
    },
  )

  it("hasName is true for an uncommented variable with or without a value", () => {
    expect(hasName("B=1\nexport A=", "A")).toBe(true)
    expect(hasName("# A=1\nAB=1", "A")).toBe(false)
  })
})

describe("withValue and withLines", () => {
  it.each([
    ["", "A=x\n"],
    ["B=1\n", "B=1\nA=x\n"],
    ["B=1", "B=1\nA=x"],
    ["B=1\r\nC=2\r\n", "B=1\r\nC=2\r\nA=x\r\n"],
    ["A=\nB=1\n", "A=x\nB=1\n"],
    ["A=", "A=x"],
    ["# first\nA=   # why\n\nB=1", "# first\nA=x   # why\n\nB=1"],
    ["export A=''\r\nB=1", "export A=x\r\nB=1"],
    ["# A=old\nB=1\n", "# A=old\nB=1\nA=x\n"],
    ["A=\nB=1\nA=\n", "A=\nB=1\nA=x\n"],
    // The line in the middle belongs to the value of B.
    ['B="one\nA=\nthree"\n', 'B="one\nA=\nthree"\nA=x\n'],
  ])("withValue turns %j into %j", (before, after) => {
    expect(withValue(before, "A", "x")).toBe(after)
    expect(parseEnv(after)).toEqual({ ...parseEnv(before), A: "x" })
  })

  it("withValue returns undefined if Node.js would not read the added line", () => {
    // Some versions of Node.js read such a line as the beginning of the next name.
    const after = "only words\nA=x\n"
    const isRead = parseEnv(after)["A"] === "x" && Object.keys(parseEnv("only words\n")).length === 0
    expect(withValue("only words\n", "A", "x")).toBe(isRead ? after : undefined)
  })

  it("withLines gives the added lines the line endings of the existing ones", () => {
    expect(withLines("B=1\r\n", ["", "# C", "C="])).toBe("B=1\r\n\r\n# C\r\nC=\r\n")
  })
})

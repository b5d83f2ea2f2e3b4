import { parseEnv } from "node:util"
import { hasName, hasValue, withLines, withValue } from "../../../lib/cli/env-file.js"

describe("A variable of a .env file", () => {
  it.each(["A=x", "A = x", " export A=x", 'A="x"', "A='x' # why", "B=1\r\nA=x\r\n", "A=x\nA=", 'A="\nx"'])(
    "has a value in %j",
    (text) => {
      expect(hasValue(text, "A")).toBe(true)
    },
  )

  it.each(["", "A=", "A=\nB=x", "A= # x", 'A=""', "export A=''", "A=\r\nB=x", "#A=x", "# A=x", "AA=x", "XA=x"])(
    "has none in %j",
    (text) => {
      expect(hasValue(text, "A")).toBe(false)
    },
  )

  it("is named or not, whether it has a value or not", () => {
    expect(hasName("B=1\nexport A=", "A")).toBe(true)
    expect(hasName("# A=1\nAB=1", "A")).toBe(false)
  })
})

describe("A value put into a .env file", () => {
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
    // What looks like a line of its own is in the middle of another's value.
    ['B="one\nA=\nthree"\n', 'B="one\nA=\nthree"\nA=x\n'],
  ])("makes %j to %j", (before, after) => {
    expect(withValue(before, "A", "x")).toBe(after)
    expect(parseEnv(after)).toEqual({ ...parseEnv(before), A: "x" })
  })

  it("is refused where it would not be read", () => {
    // Some versions of Node.js take such a line for the beginning of the next name.
    const after = "only words\nA=x\n"
    const isRead = parseEnv(after)["A"] === "x" && Object.keys(parseEnv("only words\n")).length === 0
    expect(withValue("only words\n", "A", "x")).toBe(isRead ? after : undefined)
  })

  it("has lines added to it that end as the others do", () => {
    expect(withLines("B=1\r\n", ["", "# C", "C="])).toBe("B=1\r\n\r\n# C\r\nC=\r\n")
  })
})

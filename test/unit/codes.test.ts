import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { CODES, type MessageCode, SUBJECTS } from "../../lib/errors/codes/index.js"

const LIB = join(__dirname, "../../lib")

/** The source of every module except the table itself. */
const sources = readdirSync(LIB, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("codes/"))
  .map((file) => readFileSync(join(LIB, file), "utf8"))

// Object.keys loses the type of the keys.
const codes = Object.keys(CODES) as MessageCode[]

describe("CODES", () => {
  it("has no code that no module uses", () => {
    const unused = codes.filter((code) => !sources.some((source) => source.includes(`"${code}"`)))
    expect(unused).toEqual([])
  })

  it("has each code under exactly one subject", () => {
    const listed = Object.values(SUBJECTS).flatMap((rows) => Object.keys(rows))
    expect(listed).toEqual([...new Set(listed)])
    expect(listed.sort()).toEqual([...codes].sort())
  })

  it.each(codes)("has a title, cause, remedy and docs link in the expected form for %s", (code) => {
    const { title, cause, remedy, docs } = CODES[code]
    expect(code).toMatch(/^[a-z]+(-[a-z]+)+$/)
    expect(title).toMatch(/^[A-Z].{5,79}[^.]$/)
    expect(cause).toMatch(/^[`A-Z'][\s\S]{20,}\.$/)
    expect(remedy).toMatch(/^[`A-Z"][\s\S]{3,}[.:?`]$/)
    expect(docs).toMatch(/^[a-z-]+\.md(?:#[a-z0-9_-]+)?$/)
  })
})

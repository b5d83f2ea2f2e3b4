import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { readExplanation, readSubjects } from "../../lib/errors/explanation.js"
import type { MessageCode } from "../../lib/errors/message-code.js"

const LIB = join(__dirname, "../../lib")

/** The source of every module except the type of the codes. */
const sources = readdirSync(LIB, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && file !== "errors/message-code.ts")
  .map((file) => readFileSync(join(LIB, file), "utf8"))

const codes = readSubjects().flatMap((subject) => subject.codes)

describe("the codes of docs/errors", () => {
  it("are all used by a module", () => {
    expect(codes.length).toBeGreaterThan(100)
    expect(codes.filter((code) => !sources.some((source) => source.includes(`"${code}"`)))).toEqual([])
  })

  it.each(codes)("have a title, a cause, a fix and further reading in the expected form: %s", (code) => {
    const { title, cause, fix, docs } = readExplanation(code)
    expect(code).toMatch(/^[a-z]+(-[a-z]+)+$/)
    expect(title).toMatch(/^[A-Z].{5,79}[^.]$/)
    expect(cause).toMatch(/^[`A-Z'][^\n]{20,}\.$/)
    expect(fix).toMatch(/^[`A-Z"][\s\S]{3,}[.:?`]$/)
    expect(docs).toMatch(/^[a-z-]+\.md(?:#[a-z0-9_-]+)?$/)
    expect(readFileSync(`docs/errors/${code}.md`, "utf8")).toContain(`\n\n\`${code}\`\n\n`)
  })
})

describe("readExplanation", () => {
  it("states that the explanation is missing for an unknown code, and in an installation without documentation", () => {
    const missing = { title: "There is no explanation of this code", docs: "errors/README.md" }
    expect(readExplanation("no-such-code" as MessageCode)).toMatchObject(missing)
    expect(readExplanation("secret-missing", LIB)).toMatchObject(missing)
    expect(readExplanation("secret-missing")).toMatchObject({ title: "The secret is missing" })
  })

  it("writes the address of a link after its text", () => {
    expect(readExplanation("endpoints-missing").fix).toContain(
      "`pushedAuthorizationRequests` (docs/oauth.md#pushed-authorization-requests)",
    )
    expect(readExplanation("logout-endpoint-missing").fix).toContain(
      "RP-initiated logout (https://openid.net/specs/openid-connect-rpinitiated-1_0.html)",
    )
    expect(codes.filter((code) => /\]\(/.test(readExplanation(code).cause + readExplanation(code).fix))).toEqual([])
  })
})

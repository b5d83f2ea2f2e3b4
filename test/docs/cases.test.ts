import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const ROOT = join(__dirname, "../..")
const cases: readonly { readonly id: string }[] = JSON.parse(readFileSync(join(ROOT, "test/cases.json"), "utf8"))
const TESTS = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(ROOT, "test", file), "utf8"))
  .join("\n")

describe("test/cases.json", () => {
  it.each(cases.map(({ id }) => [id] as const))("names a test for %s", (id) => {
    expect(TESTS).toMatch(new RegExp(`["\`][^"\`\\n]*\\b${id}\\b[^"\`\\n]*["\`]`))
  })

  it("matches the table in docs/security-tests.md", () => {
    execFileSync(process.execPath, [join(ROOT, "scripts/cases.mjs"), "--check"], { stdio: "pipe" })
  })
})

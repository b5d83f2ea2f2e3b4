import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { PROVIDER_FILES } from "../contracts/support/factories.js"

interface Row {
  readonly file: string
  readonly id: string
  readonly name: string
  readonly type: string
  readonly sentence: string
  readonly environment: string
  readonly redirectPath?: string
  readonly console: string
  readonly example: string
}

const CATALOGUE: readonly Row[] = JSON.parse(readFileSync("dist/catalogue.json", "utf8"))

it("docs/providers.md has the list that the files make", () => {
  expect(() => execFileSync(process.execPath, ["scripts/catalogue.mjs", "--check"], { stdio: "pipe" })).not.toThrow()
})

it("has every provider", () => {
  expect(CATALOGUE.map(({ file }) => file).sort()).toEqual([...PROVIDER_FILES].sort())
})

const ofVendors = CATALOGUE.filter(({ type }) => type === "oauth" || type === "oidc")

it.each(ofVendors)("$file says in its docstring what an application has to know", (row) => {
  const prefix = `AUTH_${row.id.toUpperCase().replaceAll("-", "_")}`
  expect(row.sentence).toMatch(/^(Sign-in|The same) .+\.$/)
  expect(row.environment).toContain(`\`${prefix}_ID\``)
  expect(row.redirectPath).toBe(`/callback/${row.id}`)
  expect(row.console).not.toBe("")
  expect(row.example).toContain(`from "latchkey/providers/${row.file}"`)
})

it.each(CATALOGUE)("$file has an example of few lines", ({ example, file }) => {
  expect(example).toContain(`latchkey/providers/${file}`)
  expect(example.split("\n").length).toBeLessThan(12)
})

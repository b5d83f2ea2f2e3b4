import { readFileSync } from "node:fs"
import { join } from "node:path"

const read = (file: string) => readFileSync(join(__dirname, "../..", file), "utf8")

describe("docs/testing.md", () => {
  const page = read("docs/testing.md")

  it("contains the tests for Jest as they are run", () => {
    expect(page).toContain(`\`\`\`js\n${read("examples/testing/jest/orders.test.js")}\`\`\`\n`)
  })

  it("names every exported function", () => {
    const names = [...read("lib/testing.ts").matchAll(/export \{([^}]+)\}/g)].flatMap(({ 1: list = "" }) =>
      list.split(","),
    )
    const functions = names
      .map((name) => name.trim())
      .filter((name) => /^[a-z]/.test(name) && !name.startsWith("type "))
    expect(functions.length).toBeGreaterThan(5)
    expect(functions.filter((name) => !page.includes(`\`${name}(`))).toEqual([])
  })
})

import { readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { loadedBy } from "./support/loaded.js"

const DIST = resolve("dist")

describe.each([".js", ".cjs"])("importing the package, %s", (format) => {
  const files = [...loadedBy(join(DIST, `index${format}`), "at once")]
  const texts = files.map((file) => readFileSync(file, "utf8")).join("\n")

  it("loads the middleware", () => {
    expect(texts).toContain("function authMiddleware(")
  })

  it("loads no module that has its own import path", () => {
    const names = files.map((file) => relative(DIST, file).replace(/\.c?js$/, ""))
    const parts = names.filter((name) => /^(?:adapters|providers)\/|^(?:testing|cli|jwt|config-child)$/.test(name))
    expect(parts).toEqual([])
  })

  it.each([
    ["the development provider", "authorization_response_iss_parameter_supported: true"],
    ["the adapter tests", "node:assert"],
  ])("does not load %s", (_, mark) => {
    expect(texts).not.toContain(mark)
  })
})

import { Project } from "./support/project.js"

const hasOwn = process.getBuiltinModule?.("node:sqlite") !== undefined
if (!hasOwn) console.warn("SKIPPED: the SQLite driver of Node.js: this version has none")

const PROGRAM = `
import { SqlAdapter } from "latchkey/adapters/sql"
const adapter = SqlAdapter({ sqlite: ":memory:" })
await adapter.migrate()
await adapter.close()
process.emitWarning("a warning of the application")`

;(hasOwn ? it : it.skip)(
  "the SQLite driver of Node.js is used if available, without hiding other warnings",
  async () => {
    // No other driver is installed.
    const project = new Project(["kysely"])
    const { code, err } = await project.node(PROGRAM)
    project.remove()
    expect(code).toBe(0)
    expect(err).toContain("a warning of the application")
    expect(err).not.toContain("SQLite")
  },
)

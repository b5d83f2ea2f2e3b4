import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"

/** Creates a user's project: the built package where npm would install it, and its dependencies beside it. */
export function createUserProject(): string {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "latchkey-user-")))
  const modules = join(project, "node_modules")
  mkdirSync(join(modules, "latchkey"), { recursive: true })
  for (const part of ["dist", "views", "package.json"])
    cpSync(part, join(modules, "latchkey", part), { recursive: true })
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"))
  for (const name of ["express", "supertest", "@types", ...Object.keys(dependencies)]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(resolve("node_modules", name), join(modules, name))
  }
  return project
}

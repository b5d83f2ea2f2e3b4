import { cpSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

/** Creates a user's project: the built package where npm would install it, and its dependencies beside it. */
export function createUserProject(): string {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "latchkey-user-")))
  const modules = join(project, "node_modules")
  mkdirSync(join(modules, "latchkey"), { recursive: true })
  for (const part of ["dist", "views", "package.json"])
    cpSync(part, join(modules, "latchkey", part), { recursive: true })
  for (const name of ["express", "supertest", "cookie", "ejs", "jose", "lru-cache", "oauth4webapi", "@types"])
    symlinkSync(resolve("node_modules", name), join(modules, name))
  return project
}

/**
 * Gives every file that is packed the same mode, and every command the one of commands: npm packs what it finds, and
 * that is the builder's umask.
 *
 * @module
 */
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const { files, bin } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))

const filesIn = (path) =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path]

const commands = Object.values(bin).map((file) => join(ROOT, file))

for (const file of ["package.json", ...files].flatMap((name) => filesIn(join(ROOT, name))))
  chmodSync(file, commands.includes(file) ? 0o755 : 0o644)

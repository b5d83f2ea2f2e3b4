/**
 * Gives every file that is packed the same mode: npm packs the one it finds, and that is the builder's umask.
 *
 * @module
 */
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))

const filesIn = (path) =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path]

for (const file of ["package.json", ...files].flatMap((name) => filesIn(join(ROOT, name)))) chmodSync(file, 0o644)

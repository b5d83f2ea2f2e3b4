/**
 * Gives every file that is packed the same mode, and every command the one of commands: npm packs what it finds, and
 * that is the builder's umask.
 *
 * @module
 */
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, extname, join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const { files, bin } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))

/** What an entry of `files` stands for: a folder, a file, or every file of a kind in a folder, as in "docs/*.md". */
const entryIn = (path) =>
  path.includes("*")
    ? readdirSync(dirname(path)).flatMap((name) => (extname(name) === extname(path) ? [join(dirname(path), name)] : []))
    : filesIn(path)

const filesIn = (path) =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path]

const commands = Object.values(bin).map((file) => join(ROOT, file))

for (const file of ["package.json", ...files].flatMap((name) => entryIn(join(ROOT, name))))
  chmodSync(file, commands.includes(file) ? 0o755 : 0o644)

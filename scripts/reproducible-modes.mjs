/**
 * Sets the same mode on every packed file, and the executable mode on every command. Otherwise npm would pack modes that
 * depend on the builder's umask.
 *
 * @module
 */
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const { files, bin } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))

/** The files in an entry of `files`, which is a file or a folder. */
const filesIn = (path) =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path]

const commands = Object.values(bin).map((file) => join(ROOT, file))

// An entry with "!" excludes files.
const packed = files.filter((entry) => !entry.startsWith("!"))

for (const file of ["package.json", ...packed].flatMap((name) => filesIn(join(ROOT, name))))
  chmodSync(file, commands.includes(file) ? 0o755 : 0o644)

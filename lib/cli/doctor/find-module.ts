import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isPlainObject } from "../../base/merge.js"

const EXTENSIONS = ["js", "ts", "mjs", "mts", "cjs", "cts"]
const FOLDERS = ["", "src", "lib", "app"]

const pathsFor = (names: readonly string[], folder: string): string[] =>
  names.flatMap((name) => EXTENSIONS.map((extension) => join(folder, `${name}.${extension}`)))

function readMain(folder: string): string[] {
  const path = join(folder, "package.json")
  if (!existsSync(path)) return []
  const manifest: unknown = JSON.parse(readFileSync(path, "utf8"))
  return isPlainObject(manifest) && typeof manifest["main"] === "string" ? [manifest["main"]] : []
}

/** Lists the files that may contain the configuration, the likeliest first: a separate file, then the application. */
export function listCandidates(folder: string): string[] {
  const paths = [
    ...FOLDERS.flatMap((inner) => pathsFor(["auth", "auth.config"], inner)),
    ...readMain(folder),
    ...["", "src"].flatMap((inner) => pathsFor(["server", "app", "index", "main"], inner)),
  ]
  return [...new Set(paths.map((path) => join(folder, path)))].filter((path) => existsSync(path))
}

export const isTypeScript = (path: string): boolean => /\.[mc]?ts$/.test(path)

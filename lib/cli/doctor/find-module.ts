import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isPlainObject } from "../../merge.js"

const ENDINGS = ["js", "ts", "mjs", "mts", "cjs", "cts"]
const FOLDERS = ["", "src", "lib", "app"]

const named = (names: readonly string[], folder: string): string[] =>
  names.flatMap((name) => ENDINGS.map((ending) => join(folder, `${name}.${ending}`)))

function mainOf(folder: string): string[] {
  const path = join(folder, "package.json")
  if (!existsSync(path)) return []
  const manifest: unknown = JSON.parse(readFileSync(path, "utf8"))
  return isPlainObject(manifest) && typeof manifest["main"] === "string" ? [manifest["main"]] : []
}

/** The files that may have an application's configuration, the likeliest first: one for it alone, then the application. */
export function candidatesIn(folder: string): string[] {
  const paths = [
    ...FOLDERS.flatMap((inner) => named(["auth", "auth.config"], inner)),
    ...mainOf(folder),
    ...["", "src"].flatMap((inner) => named(["server", "app", "index", "main"], inner)),
  ]
  return [...new Set(paths.map((path) => join(folder, path)))].filter((path) => existsSync(path))
}

export const isTypeScript = (path: string): boolean => /\.[mc]?ts$/.test(path)

import { basename, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { readText } from "../files.js"

const NAME = "latchkey"

/** The folder of this package; the command runs in its `dist/`. */
const OWN_FOLDER = fileURLToPath(new URL("..", import.meta.url)).replace(/[/\\]$/, "")

/** Quotes a path for a shell if necessary. */
const quoted = (path: string): string => (/^[\w@%+=:,./\\-]+$/.test(path) ? path : `"${path}"`)

/** The version range or source of this package in a folder's package.json; undefined if the file is not valid JSON. */
function readSpec(folder: string): unknown {
  try {
    const { dependencies, devDependencies } = Object(JSON.parse(readText(join(folder, "package.json"))))
    return dependencies?.[NAME] ?? devDependencies?.[NAME]
  } catch {
    return undefined
  }
}

/** The nearest folder, upwards, whose package.json lists this package. */
function findSpec(folder: string): { folder: string; spec: string } | undefined {
  const spec = readSpec(folder)
  if (typeof spec === "string") return { folder, spec }
  return dirname(folder) === folder ? undefined : findSpec(dirname(folder))
}

/**
 * Returns the argument that installs this package: its name if it came from the registry, or else its tarball, folder or
 * URL. `npx` keeps a package.json that lists the package.
 */
export function ownSource(): string {
  if (basename(dirname(OWN_FOLDER)) !== "node_modules") return quoted(OWN_FOLDER)
  const found = findSpec(dirname(OWN_FOLDER))
  const [, path] = /^(?:file|link):(.+)$/.exec(found?.spec ?? "") ?? []
  if (found && path) return quoted(resolve(found.folder, path))
  return found && /^(?:git|https?|ssh|github)\b.*:/.test(found.spec) ? found.spec : NAME
}

import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

/** An installed copy of this package. A process may load several copies. */
export interface PackageCopy {
  /** "unknown" if the application's bundle lacks package.json. */
  readonly version: string
  readonly folder: string
}

/** Returns the copy that contains this module. Reads package.json at each call, so use it only for diagnostics. */
export function thisCopy(): PackageCopy {
  const manifest = fileURLToPath(new URL("../package.json", import.meta.url))
  return { version: readVersion(manifest), folder: dirname(manifest) }
}

function readVersion(manifest: string): string {
  try {
    return JSON.parse(readFileSync(manifest, "utf8")).version
  } catch {
    return "unknown"
  }
}

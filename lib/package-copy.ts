import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

/** One copy of this package among those that a process has loaded. */
export interface PackageCopy {
  /** "unknown" if the application's bundle lacks package.json. */
  readonly version: string
  readonly folder: string
}

/** The copy that this module belongs to. It reads package.json at each call, so call it only for diagnostics. */
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

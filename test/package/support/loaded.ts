import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Imports between built files: all of them, or those at load time. */
const PATTERNS = {
  ever: /(?:from\s*|import\s*\(?\s*|require\s*\(\s*)["'](\.[^"']+)["']/g,
  // Deferred imports are indented.
  "at once": /^(?:(?:import|export)\b.*|(?:(?:const|let) .* = )?require\()["'](\.[^"']+)["']/gm,
}

/** All files that importing a built file loads, including itself. */
export function loadedBy(file: string, when: keyof typeof PATTERNS, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const { 1: specifier = "" } of readFileSync(file, "utf8").matchAll(PATTERNS[when]))
    loadedBy(join(dirname(file), specifier), when, found)
  return found
}

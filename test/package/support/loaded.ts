import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Where a built file names another: wherever it may load it, or where it does so at once. */
const PATTERNS = {
  ever: /(?:from\s*|import\s*\(?\s*|require\s*\(\s*)["'](\.[^"']+)["']/g,
  // What is loaded later stands further in.
  "at once": /^(?:(?:import|export)\b.*|(?:(?:const|let) .* = )?require\()["'](\.[^"']+)["']/gm,
}

/** Everything that importing a built file loads, itself included. */
export function loadedBy(file: string, when: keyof typeof PATTERNS, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const { 1: specifier = "" } of readFileSync(file, "utf8").matchAll(PATTERNS[when]))
    loadedBy(join(dirname(file), specifier), when, found)
  return found
}

/**
 * Runs code samples of the documentation.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import type { AuthConfig } from "../../../lib/types.js"

/** The only JavaScript block of a page that contains the text. */
function readBlock(page: string, text: string): string {
  const blocks = [...readFileSync(page, "utf8").matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code)
  const [found, ...more] = blocks.filter((code) => code.includes(text))
  if (found === undefined || more.length > 0)
    throw new Error(`${page} has ${more.length + (found === undefined ? 0 : 1)} blocks with "${text}", not one`)
  return found
}

/** Runs a block of a page. `scope` contains its imports and undefined variables. */
export function runDocumented(page: string, text: string, scope: Readonly<Record<string, unknown>>): void {
  const code = readBlock(page, text).replace(/^import .*$/gm, "")
  new Function(...Object.keys(scope), code)(...Object.values(scope))
}

/** The configuration that a block of a page passes to the middleware. */
export function documentedConfig(page: string, text: string, scope: Readonly<Record<string, unknown>>): AuthConfig {
  const configs: AuthConfig[] = []
  const authMiddleware = (config: AuthConfig) => void configs.push(config)
  runDocumented(page, text, { authMiddleware, GitHub: undefined, ...scope })
  const [config] = configs
  if (!config) throw new Error(`${page}: the block with "${text}" does not call authMiddleware`)
  return config
}

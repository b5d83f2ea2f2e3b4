import { existsSync, readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import { UsageError } from "./command.js"

const DEFAULT_FILE = ".env"

/**
 * The variables of the process, and those of a file that are not set already, as with `node --env-file`. NODE_OPTIONS of
 * a file is left out: it would run code before ours.
 *
 * @param file `.env` where undefined, if there is one
 * @throws UsageError when a file was named and is not there
 */
export function withEnvFile(env: NodeJS.ProcessEnv, file?: string): NodeJS.ProcessEnv {
  if (file !== undefined && !existsSync(file))
    throw new UsageError(`--env-file: there is no file ${JSON.stringify(file)}`)
  const path = file ?? DEFAULT_FILE
  if (!existsSync(path)) return env
  const { NODE_OPTIONS: _, ...added } = parseEnv(readFileSync(path, "utf8"))
  return { ...added, ...env }
}

import { existsSync, readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import { UsageError } from "./command.js"

const DEFAULT_FILE = ".env"

/**
 * Adds the variables of a file to those of the process, which take precedence, as with `node --env-file`. NODE_OPTIONS of
 * a file is ignored, because it could run code in the processes that the command starts.
 *
 * @param file if undefined, `.env` if it exists
 * @throws UsageError if a named file does not exist
 */
export function withEnvFile(env: NodeJS.ProcessEnv, file?: string): NodeJS.ProcessEnv {
  if (file !== undefined && !existsSync(file))
    throw new UsageError(`--env-file: there is no file ${JSON.stringify(file)}`)
  const path = file ?? DEFAULT_FILE
  if (!existsSync(path)) return env
  const { NODE_OPTIONS: _, ...added } = parseEnv(readFileSync(path, "utf8"))
  return { ...added, ...env }
}

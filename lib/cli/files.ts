import { spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname } from "node:path"
import { parseEnv } from "node:util"
import { UsageError } from "./command.js"

const isMissing = (error: unknown): boolean => Object(error).code === "ENOENT"

/** Reads a file; returns an empty string if it does not exist. */
export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (isMissing(error)) return ""
    throw error
  }
}

interface FileTarget {
  readonly target: string
  readonly mode?: number
  readonly uid?: number
  readonly gid?: number
}

/** Returns the real path of a file, and its mode and owner, which a new version of the file receives too. */
function readFileTarget(path: string): FileTarget {
  try {
    // Write to the target of a symbolic link, so that the link is kept.
    const target = realpathSync(path)
    const { mode, uid, gid } = statSync(target)
    return { target, mode, uid, gid }
  } catch (error) {
    if (isMissing(error)) return { target: path }
    throw error
  }
}

/** Writes a file atomically. An existing file keeps its mode and owner; a new file gets `mode`. */
export function writeAtomically(path: string, text: string, mode = 0o644): void {
  const { target, mode: finalMode = mode, uid, gid } = readFileTarget(path)
  const temporary = `${target}.${process.pid}.tmp`
  try {
    // Restrict access before the content is written, because it may be a secret.
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" })
    if (uid !== undefined && gid !== undefined && uid !== process.getuid?.()) chownSync(temporary, uid, gid)
    chmodSync(temporary, finalMode & 0o777)
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** True if git ignores a file; undefined outside of a repository and without git. */
export function isIgnoredByGit(path: string): boolean | undefined {
  const { status } = spawnSync("git", ["check-ignore", "-q", "--", basename(path)], { cwd: dirname(path) })
  return status === 0 ? true : status === 1 ? false : undefined
}

/** True if git tracks the file, so that .gitignore has no effect. */
export function isTrackedByGit(path: string): boolean {
  return spawnSync("git", ["ls-files", "--error-unmatch", "--", basename(path)], { cwd: dirname(path) }).status === 0
}

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
  const { NODE_OPTIONS: _, ...added } = parseEnv(readText(file ?? ".env"))
  return { ...added, ...env }
}

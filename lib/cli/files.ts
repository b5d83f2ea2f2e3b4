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
  /** The path to write to. */
  readonly target: string
  readonly mode?: number
  readonly uid?: number
  readonly gid?: number
}

/** Returns the path to write to. For an existing file, also returns its mode and owner, which are kept. */
function readFileTarget(path: string): FileTarget {
  try {
    // For a symbolic link, write to the target of the link, so that the link is kept.
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
  const temporaryPath = `${target}.${process.pid}.tmp`
  try {
    // Restrict access before the content is written, because the content may be a secret.
    writeFileSync(temporaryPath, text, { mode: 0o600, flag: "wx" })
    if (uid !== undefined && gid !== undefined && uid !== process.getuid?.()) chownSync(temporaryPath, uid, gid)
    chmodSync(temporaryPath, finalMode & 0o777)
    renameSync(temporaryPath, target)
  } catch (error) {
    rmSync(temporaryPath, { force: true })
    throw error
  }
}

/** True if git ignores the file. Undefined outside of a repository, or if git is not installed. */
export function isIgnoredByGit(path: string): boolean | undefined {
  const { status } = spawnSync("git", ["check-ignore", "-q", "--", basename(path)], { cwd: dirname(path) })
  return status === 0 ? true : status === 1 ? false : undefined
}

/** True if git tracks the file. Then .gitignore has no effect on the file. */
export function isTrackedByGit(path: string): boolean {
  return spawnSync("git", ["ls-files", "--error-unmatch", "--", basename(path)], { cwd: dirname(path) }).status === 0
}

/**
 * Returns the variables of the process and of a file. A variable of the process takes precedence, as with
 * `node --env-file`. NODE_OPTIONS in the file is ignored, because it could run code in the processes that the command
 * starts.
 *
 * @param file the path of the file. By default `.env`, which need not exist.
 * @throws UsageError if `file` is given and does not exist
 */
export function withEnvFile(env: NodeJS.ProcessEnv, file?: string): NodeJS.ProcessEnv {
  if (file !== undefined && !existsSync(file))
    throw new UsageError(`--env-file: there is no file ${JSON.stringify(file)}`)
  const { NODE_OPTIONS: _, ...fileVariables } = parseEnv(readText(file ?? ".env"))
  return { ...fileVariables, ...env }
}

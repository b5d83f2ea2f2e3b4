import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname } from "node:path"

const isMissing = (error: unknown): boolean => Object(error).code === "ENOENT"

/** What a file holds; empty when it is not there. */
export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (isMissing(error)) return ""
    throw error
  }
}

interface Place {
  readonly target: string
  readonly mode?: number
  readonly uid?: number
  readonly gid?: number
}

/** Where a file really is, and whose; it keeps that when it is written anew. */
function placeOf(path: string): Place {
  try {
    // A link stays a link.
    const target = realpathSync(path)
    const { mode, uid, gid } = statSync(target)
    return { target, mode, uid, gid }
  } catch (error) {
    if (isMissing(error)) return { target: path }
    throw error
  }
}

/** Writes all of a file or nothing of it, with the mode and the owner that it had; `mode` is for a new one. */
export function writeWhole(path: string, text: string, mode = 0o644): void {
  const { target, mode: before = mode, uid, gid } = placeOf(path)
  const beside = `${target}.${process.pid}.tmp`
  try {
    // Closed before the first letter is in it: a secret may be what is written.
    writeFileSync(beside, text, { mode: 0o600, flag: "wx" })
    if (uid !== undefined && gid !== undefined && uid !== process.getuid?.()) chownSync(beside, uid, gid)
    chmodSync(beside, before & 0o777)
    renameSync(beside, target)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}

/** Whether git would leave a file alone; undefined outside of a repository, and without git. */
export function isIgnoredByGit(path: string): boolean | undefined {
  const { status } = spawnSync("git", ["check-ignore", "-q", "--", basename(path)], { cwd: dirname(path) })
  return status === 0 ? true : status === 1 ? false : undefined
}

/** Whether git has the file in its index, where .gitignore has no effect. */
export function isTrackedByGit(path: string): boolean {
  return spawnSync("git", ["ls-files", "--error-unmatch", "--", basename(path)], { cwd: dirname(path) }).status === 0
}

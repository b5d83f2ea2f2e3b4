import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { writeAtomically } from "../files.js"
import type { PlannedFile } from "./plan.js"

/** Writes one file, and returns a function that reverts it. */
function write({ path, text, status, isSecret }: PlannedFile): () => void {
  if (status === "new") {
    // Do not overwrite a file that was created in the meantime.
    writeFileSync(path, text, { flag: "wx", mode: isSecret ? 0o600 : 0o644 })
    return () => rmSync(path, { force: true })
  }
  const before = readFileSync(path, "utf8")
  writeAtomically(path, text)
  return () => writeAtomically(path, before)
}

function writeAll(files: readonly PlannedFile[]): void {
  const undo: (() => void)[] = []
  try {
    for (const file of files) undo.push(write(file))
  } catch (error) {
    for (const revert of undo.reverse()) revert()
    throw error
  }
}

/** Writes all planned files or none. Ctrl-C has no effect until it is finished. */
export function writeFiles(files: readonly PlannedFile[]): void {
  const ignore = () => undefined
  process.on("SIGINT", ignore)
  try {
    writeAll(files.filter(({ status }) => status !== "exists"))
  } finally {
    process.off("SIGINT", ignore)
  }
}

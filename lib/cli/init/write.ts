import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { writeWhole } from "../files.js"
import type { PlannedFile } from "./plan.js"

/** Writes one file, and gives what takes it back. */
function write({ path, text, status, isSecret }: PlannedFile): () => void {
  if (status === "new") {
    // Not over one that somebody else has made meanwhile.
    writeFileSync(path, text, { flag: "wx", mode: isSecret ? 0o600 : 0o644 })
    return () => rmSync(path, { force: true })
  }
  const before = readFileSync(path, "utf8")
  writeWhole(path, text)
  return () => writeWhole(path, before)
}

function writeAll(files: readonly PlannedFile[]): void {
  const undo: (() => void)[] = []
  try {
    for (const file of files) undo.push(write(file))
  } catch (error) {
    for (const takeBack of undo.reverse()) takeBack()
    throw error
  }
}

/** Writes all of the files that are to be written, or none: Ctrl-C waits until it is done. */
export function writeFiles(files: readonly PlannedFile[]): void {
  const wait = () => undefined
  process.on("SIGINT", wait)
  try {
    writeAll(files.filter(({ status }) => status !== "there already"))
  } finally {
    process.off("SIGINT", wait)
  }
}

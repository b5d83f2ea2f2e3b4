import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { SANDBOX } from "./jest-options.mjs"
import { passingUnchanged } from "./unchanged.mjs"

const FOLDER = `${SANDBOX}/coverage`

/** Runs all tests on the unchanged code. Returns a function from a change to the test files that reach it, fast ones first. */
export function coverageOf(isKept) {
  mkdirSync(FOLDER, { recursive: true })
  const setupFilesAfterEnv = [fileURLToPath(new URL("note-coverage.cjs", import.meta.url))]
  const passed = passingUnchanged({
    name: "all",
    isKept,
    options: { setupFilesAfterEnv },
    env: { COVERAGE_FOLDER: FOLDER },
  })
  const notes = readdirSync(FOLDER)
    .map((name) => JSON.parse(readFileSync(`${FOLDER}/${name}`, "utf8")))
    .filter(({ path }) => passed.has(path))
    .map((note) => ({ ...note, reached: new Set(note.reached) }))
    .sort((a, b) => a.reached.size * (a.ms + 500) - b.reached.size * (b.ms + 500))
  return (id) => notes.filter(({ reached }) => reached.has(id))
}

import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { configOf, ENVIRONMENT, ROOT, SANDBOX } from "./jest-options.mjs"

const FOLDER = `${SANDBOX}/coverage`
const REPORT = `${SANDBOX}/all.json`

/** Runs all tests once on the unchanged code. Gives a function from a change to the files that reach it, quick ones first. */
export async function coverageOf(isKept) {
  if (!(isKept && existsSync(REPORT))) run()
  const { testResults } = JSON.parse(readFileSync(REPORT, "utf8"))
  const passed = new Set(testResults.filter(({ status }) => status === "passed").map(({ name }) => name))
  const failed = testResults.filter(({ name }) => !passed.has(name))
  for (const { name } of failed) console.error(`left out, because it fails here: ${name.slice(SANDBOX.length)}`)
  const notes = readdirSync(FOLDER)
    .map((name) => JSON.parse(readFileSync(`${FOLDER}/${name}`, "utf8")))
    .filter(({ path }) => passed.has(path))
    .map((note) => ({ ...note, reached: new Set(note.reached) }))
    .sort((a, b) => a.reached.size * (a.ms + 500) - b.reached.size * (b.ms + 500))
  return (id) => notes.filter(({ reached }) => reached.has(id))
}

function run() {
  mkdirSync(FOLDER, { recursive: true })
  const config = configOf({
    setupFilesAfterEnv: [fileURLToPath(new URL("note-coverage.cjs", import.meta.url))],
    testTimeout: 60_000,
    workerIdleMemoryLimit: "350MB",
  })
  writeFileSync(`${SANDBOX}/jest.json`, JSON.stringify(config))
  const workers = Math.ceil(availableParallelism() * 1.5)
  const jest = `${ROOT}node_modules/jest/bin/jest.js`
  spawnSync(
    process.execPath,
    [jest, "--config", `${SANDBOX}/jest.json`, "--json", "--outputFile", REPORT, "--silent", "--maxWorkers", workers],
    {
      cwd: SANDBOX,
      stdio: ["ignore", 2, 2],
      env: { ...process.env, ...ENVIRONMENT, COVERAGE_FOLDER: FOLDER },
    },
  )
}

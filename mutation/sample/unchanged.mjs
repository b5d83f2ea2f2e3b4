import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { configOf, ENVIRONMENT, ROOT, SANDBOX } from "./jest-options.mjs"

const MOST_WORKERS = Math.ceil(availableParallelism() * 1.5)

/** Runs tests on the unchanged code, unless a kept report exists. Returns the durations of the passing files. */
export function passingUnchanged({ name, isKept, options, env = {}, workers = MOST_WORKERS }) {
  const report = `${SANDBOX}/${name}.json`
  if (!(isKept && existsSync(report))) run({ name, report, options, env, workers })
  const { testResults } = JSON.parse(readFileSync(report, "utf8"))
  const hasPassed = ({ status }) => status === "passed"
  for (const failed of testResults.filter((result) => !hasPassed(result)))
    console.error(`left out, because it fails here: ${failed.name.slice(SANDBOX.length)}`)
  return new Map(testResults.filter(hasPassed).map(({ name, startTime, endTime }) => [name, endTime - startTime]))
}

function run({ name, report, options, env, workers }) {
  const file = `${SANDBOX}/${name}-jest.json`
  writeFileSync(file, JSON.stringify(configOf({ testTimeout: 60_000, workerIdleMemoryLimit: "350MB", ...options })))
  spawnSync(
    process.execPath,
    [
      ...[`${ROOT}node_modules/jest/bin/jest.js`, "--config", file, "--json", "--outputFile", report],
      ...["--silent", "--maxWorkers", workers],
    ],
    { cwd: SANDBOX, stdio: ["ignore", 2, 2], env: { ...process.env, ...ENVIRONMENT, ...env } },
  )
}

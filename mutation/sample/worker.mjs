/** Tries changes in sequence. Each message names a change and the test files to run. */
import { runCLI } from "jest"
import { configOf, ENVIRONMENT, SANDBOX } from "./jest-options.mjs"

Object.assign(process.env, ENVIRONMENT)
process.chdir(SANDBOX)
/** Node.js keeps loaded modules in memory. A process that runs out of memory would count as a detection. */
const MOST_BYTES = 1_000_000_000

process.send({ isReady: true })
process.on("message", async ({ change, files }) => {
  process.env.__STRYKER_ACTIVE_MUTANT__ = change
  const config = JSON.stringify(configOf({ testTimeout: 40_000, reporters: [], testPathIgnorePatterns: [] }))
  const { results } = await runCLI(
    { config, runInBand: true, bail: 1, silent: true, runTestsByPath: true, _: files, $0: "jest", watchman: false },
    [SANDBOX],
  )
  process.send({ isNoticed: !results.success, isFull: process.memoryUsage.rss() > MOST_BYTES })
})
// End everything that the tests have started.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"))

/** Tries one change after another: each message names a change and the test files to run on it. */
import { runCLI } from "jest"
import { configOf, ENVIRONMENT, SANDBOX } from "./jest-options.mjs"

Object.assign(process.env, ENVIRONMENT)
process.chdir(SANDBOX)
/** Node keeps what tests have loaded; a process that ends because it is full would count as noticed. */
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
// What the tests have started goes with them.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"))

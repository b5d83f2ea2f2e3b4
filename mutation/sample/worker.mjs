/** Tries one change after another: each message names a change and the test files to run on it. */
import { runCLI } from "jest"
import { configOf, ENVIRONMENT, SANDBOX } from "./jest-options.mjs"

Object.assign(process.env, ENVIRONMENT)
process.chdir(SANDBOX)

process.send({ isReady: true })
process.on("message", async ({ change, files }) => {
  process.env.__STRYKER_ACTIVE_MUTANT__ = change
  const config = JSON.stringify(configOf({ testTimeout: 40_000, reporters: [] }))
  const { results } = await runCLI(
    { config, runInBand: true, bail: 1, silent: true, runTestsByPath: true, _: files, $0: "jest", watchman: false },
    [SANDBOX],
  )
  process.send({ isNoticed: !results.success })
})

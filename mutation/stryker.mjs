import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Stryker } from "@stryker-mutator/core"

const FOLDER = "mutation/.work"
const SETUP = fileURLToPath(new URL("brief-properties.cjs", import.meta.url))

/** Stryker's options for one module: in a copy of the repository, with its own tests alone. */
const optionsFor = ({ name, mutate, tests, isIncremental }) => ({
  mutate,
  testRunner: "jest",
  plugins: [import.meta.resolve("@stryker-mutator/jest-runner")],
  coverageAnalysis: "perTest",
  jest: {
    configFile: "jest.config.ts",
    enableFindRelatedTests: false,
    config: {
      // What the tests of other things need is not built.
      globalSetup: null,
      setupFiles: [SETUP],
      // Jest looks through them for each change.
      roots: [...new Set(tests.map((test) => `<rootDir>/test/${dirname(test)}`))],
      haste: { forceNodeFilesystemAPI: true },
      testMatch: tests.map((test) => `<rootDir>/test/${test}.test.ts`),
    },
  },
  testRunnerNodeArgs: ["--max-old-space-size=1500"],
  concurrency: 1,
  // A process that runs tests grows with each change.
  maxTestRunnerReuse: 40,
  timeoutMS: 30_000,
  disableTypeChecks: false,
  ignorePatterns: ["/bench", "/biome.json", "/dist", "/docs", "/examples", "/mutation"],
  tempDirName: `${FOLDER}/${name}`,
  incremental: isIncremental,
  incrementalFile: `${FOLDER}/${name}.json`,
  reporters: ["progress-append-only", "clear-text"],
  clearTextReporter: { allowColor: false, allowEmojis: false, reportTests: false, logTests: false },
  allowConsoleColors: false,
  logLevel: "warn",
  warnings: { slow: false },
})

/** The mutants of one module, each with what became of it. */
export function mutate(module) {
  // Of the servers that tests run on one is enough: the code that changes is the same beneath each.
  process.env["TEST_STAGES"] ??= "Auth()"
  return new Stryker(optionsFor(module)).runMutationTest()
}

import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Stryker } from "@stryker-mutator/core"

const FOLDER = "mutation/.work"
const SETUP = fileURLToPath(new URL("brief-properties.cjs", import.meta.url))

/** Stryker's options for one module: in a copy of the repository, with only its own tests. */
const optionsFor = ({ name, mutate, tests, isIncremental }) => ({
  mutate,
  testRunner: "jest",
  plugins: [import.meta.resolve("@stryker-mutator/jest-runner")],
  coverageAnalysis: "perTest",
  jest: {
    configFile: "jest.config.ts",
    enableFindRelatedTests: false,
    config: {
      // These tests need no build.
      globalSetup: null,
      setupFiles: [SETUP],
      // Jest scans these folders for each change.
      roots: [...new Set(tests.map((test) => `<rootDir>/test/${dirname(test)}`))],
      haste: { forceNodeFilesystemAPI: true },
      testMatch: tests.map((test) => `<rootDir>/test/${test}.test.ts`),
    },
  },
  testRunnerNodeArgs: ["--max-old-space-size=1500"],
  concurrency: 1,
  // The memory of a test process grows with each change.
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

/** The mutants of one module with their outcomes. */
export function mutate(module) {
  // One server is enough for the tests, because all servers use the same changed code.
  process.env["TEST_STAGES"] ??= "Auth()"
  return new Stryker(optionsFor(module)).runMutationTest()
}

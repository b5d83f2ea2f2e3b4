/** @jest-config-loader esbuild-register */
import { availableParallelism } from "node:os"
import type { Config } from "jest"

const config: Config = {
  testEnvironment: "node",
  roots: ["<rootDir>/test"],
  testMatch: ["**/*.test.ts"],
  // Sources name their imports as Node resolves them, ".js"; Jest reads the TypeScript beside.
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  transform: {
    "^.+\\.[mc]?[tj]s$": [
      "@swc/jest",
      { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "commonjs" } },
    ],
  },
  // These come as ESM only and Jest runs CommonJS.
  transformIgnorePatterns: [],
  reporters: ["default", "<rootDir>/test/support/summary-reporter.mjs", "<rootDir>/test/support/cases-reporter.mjs"],
  globalSetup: "<rootDir>/test/support/build-once.mjs",
  // Of a hang, not of a machine that does other things too: three browsers that begin at once take their time.
  testTimeout: 60_000,
  // Much of the time is spent waiting: for stores, for browsers, for what must take long.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // A worker grows with each file, and the more it holds the slower it gets: a new one is cheaper.
  workerIdleMemoryLimit: "350MB",
}

export default config

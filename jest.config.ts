/** @jest-config-loader esbuild-register */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import type { Config } from "jest"

const MODULES = join(__dirname, "node_modules")

/** Packages that come as ES modules only. Jest runs CommonJS: these are transformed, and the many others are not. */
function esModules(): string[] {
  const packages = readdirSync(MODULES).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(MODULES, name)).map((part) => `${name}/${part}`) : [name],
  )
  const manifest = (name: string) => join(MODULES, name, "package.json")
  return packages
    .filter((name) => existsSync(manifest(name)))
    .filter((name) => JSON.parse(readFileSync(manifest(name), "utf8")).type === "module")
}

/**
 * Test files that take long, or need what a machine may not have: a build of `dist/`, a database server, Chromium, a quiet
 * processor. `npm test` runs all the others.
 */
const THOROUGH = [
  "(browser|cli|conformance|examples|faults|fuzz|interop|load|package|properties|races|testing|timing|trace|types)/",
  "contracts/((adapter|claims|mail|redis|sql)-|(catalogue|store)\\.)",
  "docs/(catalogue|compiled|container|express|password-hashing|proxies|readme|samples|testing)\\.",
  "troubleshooting/(browsers|caches)\\.",
  "unit/security/jwe-jose",
  "express/(bodies|log-floods)\\.",
  "flows/config/secret-list",
  "flows/oauth/(jwt-responses|unsupported-)",
  "flows/sessions/(backchannel-logout|copied-cookies|provider-logout|remember)",
  "flows/.*(-stores|-races|-variants|-faults|attack|enumeration|huge-|limits|malformed|poisoned-|provider-options|secrets-in-|signed-|slow-|timeouts|uniform-)",
].map((pattern) => `${__dirname}/test/${pattern}`)

const project: Config = {
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
  transformIgnorePatterns: [`^${MODULES}/(?!(?:${esModules().join("|")})/).*(?<!\\.mjs)$`],
}

const config: Config = {
  projects: [
    {
      ...project,
      displayName: "fast",
      testPathIgnorePatterns: THOROUGH,
      globalSetup: "<rootDir>/test/support/prepare.mjs",
    },
    {
      ...project,
      displayName: "thorough",
      testPathIgnorePatterns: [`^(?!${THOROUGH.join("|")})`],
      globalSetup: "<rootDir>/test/support/build-once.mjs",
    },
  ],
  reporters: ["default", "<rootDir>/test/support/summary-reporter.mjs", "<rootDir>/test/support/cases-reporter.mjs"],
  // Of a hang, not of a machine that does other things too: three browsers that begin at once take their time.
  testTimeout: 60_000,
  // Much of the time is spent waiting: for stores, for browsers, for what must take long.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // A worker grows with each file, and the more it holds the slower it gets: a new one is cheaper.
  workerIdleMemoryLimit: "350MB",
}

export default config

import { execFileSync } from "node:child_process"
import { ROOT, SANDBOX } from "./jest-options.mjs"
import { passingUnchanged } from "./unchanged.mjs"

/** Tests that run the built package as people's code would, and are quick enough to be tried on every survivor. */
const FILES = [
  "story/story",
  "story/methods",
  "package/built",
  "conformance/conformance",
  "examples/commonjs",
  "examples/express-ejs",
  "examples/express-ejs-accounts",
  "examples/frameworks",
  "examples/keycloak",
  "examples/migrations",
  "examples/migrations-authjs",
  "examples/socket-io",
  "examples/tenants",
  "examples/testing",
]

/** Builds the copy as the repository is built: a process that is told a change by its environment runs with it. */
export function buildPackage() {
  for (const script of [`${ROOT}node_modules/tsdown/dist/run.mjs`, "scripts/catalogue.mjs"])
    execFileSync(process.execPath, [script], { cwd: SANDBOX, stdio: ["ignore", "ignore", "inherit"] })
}

/** The files of which each is tried on a change that nothing else has noticed, quick ones first. */
export function testsOfBuiltPackage(isKept) {
  const options = {
    testMatch: FILES.map((name) => `<rootDir>/test/${name}.test.ts`),
    testPathIgnorePatterns: [],
  }
  const passed = passingUnchanged({ name: "built", isKept, options, workers: 1 })
  return [...passed].map(([path, ms]) => ({ path, ms })).sort((a, b) => a.ms - b.ms)
}

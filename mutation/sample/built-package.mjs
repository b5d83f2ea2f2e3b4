import { execFileSync } from "node:child_process"
import { ROOT, SANDBOX } from "./jest-options.mjs"
import { passingUnchanged } from "./unchanged.mjs"

/** Tests that use the built package as an application does, and that are fast enough to run for every survivor. */
const FILES = [
  "trace/sign-in",
  "trace/methods",
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

/** Builds the copy like the repository. An environment variable activates a change in a process. */
export function buildPackage() {
  for (const script of [`${ROOT}node_modules/tsdown/dist/run.mjs`, "scripts/catalogue.mjs"])
    execFileSync(process.execPath, [script], { cwd: SANDBOX, stdio: ["ignore", "ignore", "inherit"] })
}

/** The test files that are tried on changes that no other test detects, fast ones first. */
export function testsOfBuiltPackage(isKept) {
  const options = {
    testMatch: FILES.map((name) => `<rootDir>/test/${name}.test.ts`),
    testPathIgnorePatterns: [],
  }
  const passed = passingUnchanged({ name: "built", isKept, options, workers: 1 })
  return [...passed].map(([path, ms]) => ({ path, ms })).sort((a, b) => a.ms - b.ms)
}

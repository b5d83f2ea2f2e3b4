import { fileURLToPath } from "node:url"

export const ROOT = fileURLToPath(new URL("../../", import.meta.url))
/** A copy of the repository, in whose library every change is there and none is chosen. */
export const SANDBOX = `${ROOT}mutation/.work/sample`

const beside = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Test files that load the built package (built-package.mjs has some of them), or take minutes for what others notice sooner. */
const LEFT_OUT = [
  ...[
    "conformance",
    "fuzz",
    "faults",
    "load",
    "cli",
    "package",
    "examples",
    "browser",
    "docs",
    "story",
    "timing",
    "races",
    "interop",
    "types",
  ].map((name) => `/test/${name}/`),
  "/test/unit/support/",
  "/test/unit/cli/",
  "faults-slow",
  "accounts-slow",
  "jwe-jose",
  "pages/catalogues",
]

/** What Jest is run with in the copy. */
export const configOf = (more) => ({
  rootDir: SANDBOX,
  roots: ["<rootDir>/test"],
  testEnvironment: beside("quick-environment.cjs"),
  testMatch: ["**/*.test.ts"],
  testPathIgnorePatterns: LEFT_OUT,
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  transform: {
    "^.+\\.[mc]?[tj]s$": [
      "@swc/jest",
      { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "commonjs" } },
    ],
  },
  transformIgnorePatterns: [],
  setupFiles: [beside("../brief-properties.cjs")],
  haste: { forceNodeFilesystemAPI: true },
  ...more,
})

/** Of the servers that tests run on one is enough: the code that changes is the same beneath each. */
export const ENVIRONMENT = { TEST_STAGES: "Express 5", NODE_ENV: "test" }

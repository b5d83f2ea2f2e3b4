import { fileURLToPath } from "node:url"

export const ROOT = fileURLToPath(new URL("../../", import.meta.url))
/** A copy of the repository whose library contains all changes, none of them active. */
export const SANDBOX = `${ROOT}mutation/.work/sample`

const beside = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Test files that load the built package (built-package.mjs lists some of them), or that are slow and detect little more. */
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
    "trace",
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

/** The Jest configuration for the copy. */
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

/** One server is enough for the tests, because all servers use the same changed code. */
export const ENVIRONMENT = { TEST_STAGES: "Express 5", NODE_ENV: "test" }

import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { ROOT, temporaryFolder } from "./support/run-example.js"

const HERE = join(ROOT, "examples/testing")
const temporary = temporaryFolder()
const RESULTS = join(temporary.path, "results")
const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium"

interface Runner {
  readonly name: string
  readonly bin: string
  readonly args: readonly string[]
  /** The option that selects tests by name. */
  readonly byName: string
  readonly passed: string
}

const RUNNERS: readonly Runner[] = [
  {
    name: "Jest",
    bin: "jest/bin/jest.js",
    args: ["--config", "jest/jest.config.js"],
    byName: "-t",
    passed: "4 passed, 4 total",
  },
  { name: "Vitest", bin: "vitest/vitest.mjs", args: ["run", "--root", "vitest"], byName: "-t", passed: "4 passed (4)" },
  {
    name: "Playwright",
    bin: "@playwright/test/cli.js",
    args: ["test", "-c", "playwright", "--output", RESULTS],
    byName: "-g",
    passed: "3 passed",
  },
]

/** The environment without the variables that this test runner has set. */
const ENV = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(JEST_|NODE_ENV$|AUTH_|CI$)/.test(name))),
  NODE_OPTIONS: "--experimental-vm-modules",
  NO_COLOR: "1",
  CHROMIUM_PATH: CHROMIUM,
}

/** Runs the tests of an example in their own process. */
async function run({ bin, args }: Runner, folder: string, more: readonly string[] = []) {
  const command = [join(ROOT, "node_modules", bin), ...args, ...more]
  const child = spawn(process.execPath, command, { cwd: folder, env: ENV, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const [code] = await once(child, "close")
  return { code, output }
}

/** A copy of the example as its own project, without the guard of a route. */
function copyWithoutGuard(): string {
  const folder = join(temporary.path, "a-shop")
  cpSync(HERE, folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "a-shop", type: "module" }))
  for (const name of ["express", "supertest", "vitest", "@playwright/test"]) {
    const link = join(folder, "node_modules", name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(ROOT, "node_modules", name), link)
  }
  symlinkSync(ROOT, join(folder, "node_modules/latchkey"))
  const file = join(folder, "app.js")
  const code = readFileSync(file, "utf8")
  writeFileSync(file, code.replace('"/orders", requireAuth, ', '"/orders", '))
  expect(readFileSync(file, "utf8")).not.toBe(code)
  return folder
}

describe("examples/testing", () => {
  afterAll(temporary.remove)
  const browserless = existsSync(CHROMIUM) || process.env["CI"] === "true" ? [] : ["Playwright"]
  const runners = RUNNERS.filter(({ name }) => !browserless.includes(name))
  // All runs are concurrent, because most of their time is waiting.
  const complete = new Map<string, ReturnType<typeof run>>()
  const withMissingGuard = new Map<string, ReturnType<typeof run>>()
  beforeAll(() => {
    const copy = copyWithoutGuard()
    for (const runner of runners) {
      complete.set(runner.name, run(runner, HERE))
      withMissingGuard.set(runner.name, run(runner, copy, [runner.byName, "until the sign-out"]))
    }
  })

  it.each(runners)(
    "passes its tests with $name",
    async ({ name, passed }) => {
      const { code, output } = (await complete.get(name)) ?? {}
      expect(output).toContain(passed)
      // No warnings from latchkey.
      expect(output).not.toContain("[latchkey]")
      expect(code).toBe(0)
    },
    120_000,
  )

  it.each(runners)(
    "fails a test with $name if the guard is missing",
    async ({ name }) => {
      const { code, output } = (await withMissingGuard.get(name)) ?? {}
      expect(output).toMatch(/1 failed/)
      expect(code).toBe(1)
    },
    120_000,
  )
})

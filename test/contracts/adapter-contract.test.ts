import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runInThisContext } from "node:vm"
import { buildSync, transformSync } from "esbuild"
import type { Adapter } from "../../lib/adapters/adapter.js"
import { ADAPTER_METHODS } from "../../lib/adapters/bind.js"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { GUARANTEES } from "../../lib/adapters/testing/case.js"
import {
  type AdapterGuarantee,
  type AdapterTestOptions,
  adapterCases,
  testAdapter,
} from "../../lib/adapters/testing.js"
import { BROKEN_BASICS } from "./support/broken/basics.js"
import { brokenAdapter, type Defect } from "./support/broken/defect.js"
import { BROKEN_IDLE } from "./support/broken/idle.js"
import { BROKEN_PASSKEYS } from "./support/broken/passkeys.js"
import { BROKEN_RECORDS } from "./support/broken/records.js"
import { BROKEN_ROWS } from "./support/broken/rows.js"
import { BROKEN_TEXT } from "./support/broken/text.js"
import { BROKEN_TRANSACTIONS } from "./support/broken/transactions.js"
import { BROKEN_VALUES } from "./support/broken/values.js"

const DEFECTS = [
  ...[...BROKEN_BASICS, ...BROKEN_IDLE, ...BROKEN_PASSKEYS, ...BROKEN_RECORDS],
  ...[...BROKEN_ROWS, ...BROKEN_TEXT, ...BROKEN_TRANSACTIONS, ...BROKEN_VALUES],
]
const BROKEN_GUARANTEES = DEFECTS.filter(({ guarantee }) => guarantee)
const CORRECT_ADAPTER: AdapterTestOptions = {
  create: () => ({ adapter: MemoryAdapter() }),
  complete: true,
  passkeys: true,
}
const NAMES = adapterCases(CORRECT_ADAPTER).map(({ name }) => name)

const listCaseNames = (options: Partial<AdapterTestOptions>) =>
  adapterCases({ ...CORRECT_ADAPTER, ...options }).map(({ name }) => name)

/** Runs the cases, and returns the messages of those that fail by their names. */
async function runCases(
  options: AdapterTestOptions,
  isSelected: (name: string) => boolean = () => true,
): Promise<Record<string, string>> {
  const failures: Record<string, string> = {}
  for (const { name, run } of adapterCases(options).filter(({ name }) => isSelected(name)))
    await run().catch((error: unknown) => {
      failures[name] = String(Reflect.get(Object(error), "message"))
    })
  return failures
}

describe("the adapter contract", () => {
  it("passes a correct adapter", async () => {
    expect(await runCases(CORRECT_ADAPTER)).toEqual({})
  })

  it.each(DEFECTS)("finds an adapter that $name", async (defect) => {
    const found = await runCases({ ...CORRECT_ADAPTER, create: () => brokenAdapter(defect) }, (name) =>
      defect.foundBy.includes(name),
    )
    expect(Object.keys(found).sort()).toEqual([...defect.foundBy].sort())
    // The first line is the explanation. The next ones show values with random ids.
    const first = (text: string) => (text.split("\n")[0] ?? "").replace(/[\da-f]{30,}/gi, "…")
    expect(Object.values(found).map(first)).toMatchSnapshot()
  })

  it("accepts an adapter without a guarantee that it excludes", async () => {
    const found: Record<string, object> = {}
    for (const defect of BROKEN_GUARANTEES) {
      const exclude = defect.guarantee ? [defect.guarantee] : []
      const failures = await runCases({ ...CORRECT_ADAPTER, create: () => brokenAdapter(defect), exclude })
      if (Object.keys(failures).length > 0) found[defect.name] = failures
    }
    expect(found).toEqual({})
  })

  it("has a broken adapter for every case", () => {
    const found = new Set(DEFECTS.flatMap(({ foundBy }) => foundBy))
    expect(NAMES.filter((name) => !found.has(name))).toEqual([])
  })

  it("has a broken adapter for every guarantee", () => {
    const broken = new Set(BROKEN_GUARANTEES.map(({ guarantee }) => guarantee))
    expect(Object.keys(GUARANTEES).filter((guarantee) => !broken.has(guarantee as AdapterGuarantee))).toEqual([])
  })

  it("has a unique name for each case", () => {
    expect(new Set(NAMES).size).toBe(NAMES.length)
    expect(NAMES.length).toBeGreaterThan(80)
  })
})

describe("a failure of the adapter contract", () => {
  it("names the method, the expectation and the actual value", async () => {
    const name = "useVerificationToken returns the link once"
    const defect = DEFECTS.find((each) => each.name === "does not delete a used link")
    const failures = await runCases({ create: () => brokenAdapter(defect as Defect) }, (caseName) => caseName === name)
    expect(failures[name]).toMatch(
      /^useVerificationToken returns null the second time: a link is valid once\nexpected: null\ngot: {6}\{\s+identifier: /,
    )
  })

  it("closes the store after a failure and after a success", async () => {
    let closed = 0
    const close = () => {
      closed++
    }
    const idle = DEFECTS.find((each) => each.name === "does nothing in createUser") as Defect
    await runCases({ create: () => ({ ...brokenAdapter(idle), close }) })
    expect(closed).toBe(listCaseNames({ complete: false, passkeys: true }).length - 1)
  })
})

describe("the options of the adapter contract", () => {
  it("skip the cases of methods by name", () => {
    expect(listCaseNames({ skip: ["deleteUser"] }).filter((name) => name.startsWith("deleteUser"))).toEqual([])
    expect(listCaseNames({ skip: ["deleteUser"] })).toContain("unlinkAccount deletes one account and leaves the user")
  })

  it("skip passkeys", () => {
    expect(listCaseNames({ passkeys: false }).filter((name) => /Authenticator|passkey/.test(name))).toEqual([])
  })

  it("accept an adapter without passkey methods if complete is set and passkeys is false", async () => {
    const isForPasskeys = (name: string) => /Authenticator|^getAccount$/.test(name)
    const adapter = Object.fromEntries(Object.entries(MemoryAdapter()).filter(([name]) => !isForPasskeys(name)))
    const options: AdapterTestOptions = { create: () => ({ adapter }), complete: true }
    expect(await runCases({ ...options, passkeys: false })).toEqual({})
    expect(Object.keys(await runCases(options))).toEqual(["has every method"])
  })

  it("skip methods that are not part of the Auth.js interface, unless complete is set", async () => {
    const { transaction: _, listAccountsByUserId: __, getAuthenticator: ___, ...lean } = MemoryAdapter()
    expect(await runCases({ create: () => ({ adapter: lean }) })).toEqual({})
    expect(Object.keys(await runCases({ create: () => ({ adapter: lean }), complete: true }))).toEqual([
      "has every method",
    ])
  })

  it("reject unknown names", () => {
    // Applications in JavaScript may pass any name.
    const options = (more: object) => ({ ...CORRECT_ADAPTER, ...more }) as AdapterTestOptions
    expect(() => adapterCases(options({ skip: ["removeUser"] }))).toThrow(
      /^skip has removeUser, which is unknown; valid names are createUser, getUser, /,
    )
    expect(() => testAdapter(it, options({ exclude: ["sting-ids"] }))).toThrow(TypeError)
  })
})

describe("docs/adapters.md", () => {
  const page = readFileSync(join(__dirname, "../../docs/adapters.md"), "utf8")

  it("lists every guarantee", () => {
    const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (.*) \|$/gm)].map(({ 1: part = "", 2: text = "" }) => [
      part,
      text.replaceAll("`", "").toLowerCase(),
    ])
    const parts = Object.entries(GUARANTEES).map(([part, text]) => [part, text.replaceAll("`", "").toLowerCase()])
    expect(rows.filter(([part]) => part !== undefined && part in GUARANTEES)).toEqual(parts)
  })

  it("names every method and every option", () => {
    for (const name of ADAPTER_METHODS) expect(page).toContain(`\`${name}(`)
    for (const option of ["create", "dump", "close", "passkeys", "complete", "skip", "exclude"])
      expect(page).toMatch(new RegExp(`^\\| \`${option}\` \\|`, "m"))
  })
})

describe("the adapter of examples/own-storage", () => {
  const code = readFileSync(join(__dirname, "../../examples/own-storage/adapter.js"), "utf8")
  const { code: script } = transformSync(code, { format: "cjs" })
  const example: { exports: { TinyAdapter?: () => Adapter } } = { exports: {} }
  runInThisContext(`(module, require) => {${script}}`)(example, require)
  const TinyAdapter = example.exports.TinyAdapter ?? (() => ({}))
  testAdapter(it, { passkeys: false, create: () => ({ adapter: TinyAdapter() }) })
})

describe("the adapter contract outside Jest", () => {
  let folder = ""
  let file = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-contract-"))
    file = join(folder, "contract.test.cjs")
    const entry = join(__dirname, "support/runners/contract.ts")
    buildSync({ entryPoints: [entry], outfile: file, bundle: true, platform: "node", logLevel: "error" })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** The environment without the variables that Jest sets. */
  const environment = (more: Record<string, string> = {}) => {
    const { NODE_OPTIONS: _, JEST_WORKER_ID: __, NODE_TEST_CONTEXT: ___, ...env } = process.env
    return { ...env, ...more }
  }

  it("runs in node:test", () => {
    const args = ["--test", "--test-reporter=tap", file]
    const { stdout, status } = spawnSync(process.execPath, args, { env: environment(), encoding: "utf8" })
    expect(stdout).toContain(`# pass ${NAMES.length}`)
    expect([stdout.match(/# fail (\d+)/)?.[1], status]).toEqual(["0", 0])
  })

  it("runs in a bare loop", () => {
    const output = execFileSync(process.execPath, [file], { env: environment({ RUNNER: "loop" }), encoding: "utf8" })
    expect(output.trim().split("\n")).toEqual(NAMES.map((name) => `ok ${name}`))
  })

  it.each(["Europe/Berlin", "America/St_Johns", "UTC"])(
    "detects an adapter that stores local times in the time zone %s",
    (TZ) => {
      const env = environment({ RUNNER: "loop", ADAPTER: "local-time", TZ })
      const output = execFileSync(process.execPath, [file], { env, encoding: "utf8" })
      expect(output).toContain("not ok keeps dates of users to the millisecond, in any time zone: ")
    },
  )
})

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createInstrumenter } from "@stryker-mutator/instrumenter"
import { createInjector } from "typed-inject"
import { writeIcons } from "../../scripts/icons.mjs"
import { writePasskeys } from "../../scripts/passkeys.mjs"
import { buildPackage } from "./built-package.mjs"
import { ROOT, SANDBOX } from "./jest-options.mjs"

const COPIED = [
  ...["test", "views", "docs", "examples", "scripts", "fuzz"],
  ...["package.json", "tsconfig.json", "tsdown.config.ts"],
  ...["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"],
]
/** Files that are not changed: tables of texts, types, the command line and browser scripts. */
const AS_IT_IS = /^lib\/(codes|cli|browser|types)\/|^lib\/(types|errors|error-codes)\.ts$/

const silent = { ...console, isInfoEnabled: () => false, isDebugEnabled: () => false, isTraceEnabled: () => false }
for (const level of ["trace", "debug", "info", "warn", "error", "fatal"]) silent[level] = () => {}

/** Copies the repository with all changes in its library, builds it, and returns the list of changes. */
export async function makeChangeable(isKept) {
  const list = `${SANDBOX}/changes.json`
  if (isKept && existsSync(list)) return JSON.parse(readFileSync(list, "utf8"))
  rmSync(SANDBOX, { recursive: true, force: true })
  mkdirSync(SANDBOX, { recursive: true })
  // Generate these from the original sources, before the changes are inserted.
  writeIcons()
  await writePasskeys()
  for (const name of COPIED)
    cpSync(ROOT + name, `${SANDBOX}/${name}`, { recursive: true, filter: (path) => !path.includes("node_modules") })
  cpSync(`${ROOT}lib`, `${SANDBOX}/lib`, { recursive: true })
  symlinkSync(`${ROOT}node_modules`, `${SANDBOX}/node_modules`)
  const files = readdirSync(`${ROOT}lib`, { recursive: true })
    .map((name) => `lib/${name}`)
    .filter((name) => name.endsWith(".ts") && !AS_IT_IS.test(name))
    .sort()
  const instrument = createInjector().provideValue("logger", silent).injectFunction(createInstrumenter)
  const sources = files.map((name) => ({ name, content: readFileSync(ROOT + name, "utf8"), mutate: true }))
  const result = await instrument.instrument(sources, { plugins: null, excludedMutations: [], ignorers: [] })
  for (const { name, content } of result.files) writeFileSync(`${SANDBOX}/${name}`, content)
  buildPackage()
  const lines = new Map(sources.map(({ name, content }) => [name, content.split("\n")]))
  const changes = result.mutants
    .filter(({ ignoreReason }) => ignoreReason === undefined)
    .map(({ id, fileName, replacement, location, mutatorName }) => ({
      id,
      fileName,
      mutatorName,
      line: location.start.line + 1,
      before: textOf(lines.get(fileName), location),
      replacement,
    }))
  writeFileSync(list, JSON.stringify(changes))
  return changes
}

function textOf(lines, { start, end }) {
  if (start.line === end.line) return lines[start.line].slice(start.column, end.column)
  return [
    lines[start.line].slice(start.column),
    ...lines.slice(start.line + 1, end.line),
    lines[end.line].slice(0, end.column),
  ].join("\n")
}

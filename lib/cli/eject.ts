import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { defineCommand, type Result, UsageError } from "./command.js"
import { columns, didYouMean } from "./text.js"

const DEFAULT_FOLDER = "views/auth"

const ALL = "all"

/** The folder of the built-in views. In the package it is next to `dist/`, which contains this file. */
const VIEWS_FOLDER = fileURLToPath(new URL("../views", import.meta.url))

/** Matches the files that can be copied: templates, styles and texts, but not icons and the scripts of the build. */
const COPYABLE = /\.ejs$|^(?:styles|developer)\.css$|^locales\/[^/]+\.json$/

const countSegments = (file: string): number => file.split("/").length

/** Returns the files that can be copied, by their names for this command. A template is named without `.ejs`. */
function listViews(): ReadonlyMap<string, string> {
  const files = readdirSync(VIEWS_FOLDER, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(sep).join("/"))
    .filter((file) => COPYABLE.test(file))
    .sort((a, b) => countSegments(a) - countSegments(b) || (a < b ? -1 : 1))
  return new Map(files.map((file) => [file.replace(/\.ejs$/, ""), file]))
}

function formatList(views: ReadonlyMap<string, string>): Result {
  const text = [
    `${views.size} files, with their names for this command:`,
    columns([...views]),
    `npx latchkey eject NAME copies one to ${DEFAULT_FOLDER}; npx latchkey eject ${ALL} copies all of them.`,
  ]
  return { json: { templates: Object.fromEntries(views) }, text: text.join("\n\n") }
}

/**
 * Returns the files with these names. Only names of `views` are accepted, so that a name can't select a file in another
 * folder.
 *
 * @throws UsageError for an unknown name
 */
function resolveFiles(names: readonly string[], views: ReadonlyMap<string, string>): string[] {
  const files = names.flatMap((name) => {
    if (name === ALL) return [...views.values()]
    const file = views.get(name.replace(/\.ejs$/, ""))
    if (file !== undefined) return [file]
    const hint = didYouMean(name, views.keys(), ": npx latchkey eject lists them")
    throw new UsageError(`there is no template ${JSON.stringify(name)}${hint}`)
  })
  return [...new Set(files)]
}

/** Returns the value of the configuration's option `views` for a folder. A relative folder stays relative. */
function toViewsOption(folder: string): string {
  const path = isAbsolute(folder) ? folder : relative("", folder) || "."
  const slashed = path.split(sep).join("/")
  return isAbsolute(path) || slashed.startsWith(".") ? slashed : `./${slashed}`
}

function copy(file: string, target: string, isForced: boolean): void {
  mkdirSync(dirname(target), { recursive: true })
  // Not copyFileSync: an installed file may be write-protected, and the copy must be editable.
  writeFileSync(target, readFileSync(join(VIEWS_FOLDER, file)), { flag: isForced ? "w" : "wx" })
}

/**
 * Copies the files into a folder, and returns the paths of the copies.
 *
 * @throws Error if a copy already exists and `isForced` is false. Then no file is copied.
 */
function eject(files: readonly string[], folder: string, isForced: boolean): string[] {
  const copies = files.map((file) => ({ file, target: join(folder, file) }))
  const existing = isForced ? [] : copies.map(({ target }) => target).filter((target) => existsSync(resolve(target)))
  if (existing.length > 0)
    throw new Error(`${existing.join(", ")} already exists, so nothing was written. Use --force to overwrite`)
  for (const { file, target } of copies) copy(file, target, isForced)
  return copies.map(({ target }) => target)
}

function toResult(written: readonly string[], viewsOption: string): Result {
  const lines = written.map((path) => `latchkey: wrote ${path}\n`)
  return {
    json: { written, views: viewsOption },
    text: `${lines.join("")}\nAdd this to the configuration:\n\n  views: ${JSON.stringify(viewsOption)}`,
  }
}

/** `npx latchkey eject` */
export const ejectCommand = defineCommand({
  summary: "copies built-in templates into your project, where you can change them",
  about: "Copies built-in templates into a folder of your project, where you can change them.",
  more: "Without NAME, the command lists the templates. Copy only the templates that you change: later versions of latchkey update the others.",
  operands: { usage: `[NAME ... | ${ALL}]`, max: Number.POSITIVE_INFINITY },
  options: {
    to: { type: "string", value: "FOLDER", default: DEFAULT_FOLDER, help: "the target folder" },
    force: { type: "boolean", help: "overwrite existing files" },
  },
  async run({ operands, values: { to, force } }) {
    const views = listViews()
    if (operands.length === 0) return formatList(views)
    return toResult(eject(resolveFiles(operands, views), to, force), toViewsOption(to))
  },
})

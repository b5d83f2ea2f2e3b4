import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { nearestName } from "../config/nearest-name.js"
import { defineCommand, type Result, UsageError } from "./command.js"
import { columns } from "./help.js"

const DEFAULT_FOLDER = "views/auth"

const ALL = "all"

/** Beside `dist/`, where the command runs. */
const VIEWS = fileURLToPath(new URL("../views", import.meta.url))

/** Templates, styles and texts; neither our scripts, which are built, nor the icons, which have their own names. */
const IS_OFFERED = /\.ejs$|^styles\.css$|^locales\/[^/]+\.json$/

const depthOf = (file: string): number => file.split("/").length

/** The files by their names: those of templates are what `include` calls them. */
function readOffer(): ReadonlyMap<string, string> {
  const files = readdirSync(VIEWS, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(sep).join("/"))
    .filter((file) => IS_OFFERED.test(file))
    .sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
  return new Map(files.map((file) => [file.replace(/\.ejs$/, ""), file]))
}

function listOf(offer: ReadonlyMap<string, string>): Result {
  const text = [
    `${offer.size} files, by the names to eject them under:`,
    columns([...offer]),
    `npx latchkey eject NAME copies one to ${DEFAULT_FOLDER}, npx latchkey eject ${ALL} all of them.`,
  ]
  return { json: { templates: Object.fromEntries(offer) }, text: text.join("\n\n") }
}

/** Only names of the offer: no other file can be meant, wherever a name may lead. */
function filesFor(names: readonly string[], offer: ReadonlyMap<string, string>): string[] {
  const files = names.flatMap((name) => {
    if (name === ALL) return [...offer.values()]
    const file = offer.get(name.replace(/\.ejs$/, ""))
    if (file !== undefined) return [file]
    const meant = nearestName(name, [...offer.keys()])
    const hint = meant === undefined ? ": npx latchkey eject lists them" : `; did you mean ${meant}?`
    throw new UsageError(`there is no template ${JSON.stringify(name)}${hint}`)
  })
  return [...new Set(files)]
}

/** The folder as the option `views` takes it. */
function optionFor(folder: string): string {
  const path = isAbsolute(folder) ? folder : relative("", folder) || "."
  const slashed = path.split(sep).join("/")
  return isAbsolute(path) || slashed.startsWith(".") ? slashed : `./${slashed}`
}

function copy(file: string, to: string, isForced: boolean): void {
  mkdirSync(dirname(to), { recursive: true })
  // Read and written, not copied: an installed file may be write-protected, and this one is to be changed.
  writeFileSync(to, readFileSync(join(VIEWS, file)), { flag: isForced ? "w" : "wx" })
}

/** Copies all of the files, or none where one is in the way. */
function eject(files: readonly string[], folder: string, isForced: boolean): string[] {
  const copies = files.map((file) => ({ file, to: join(folder, file) }))
  const present = isForced ? [] : copies.map(({ to }) => to).filter((to) => existsSync(resolve(to)))
  if (present.length > 0)
    throw new Error(`${present.join(", ")}: there already, and nothing was written; --force writes over what is there`)
  for (const { file, to } of copies) copy(file, to, isForced)
  return copies.map(({ to }) => to)
}

function toResult(written: readonly string[], views: string): Result {
  const lines = written.map((path) => `latchkey: wrote ${path}\n`)
  return {
    json: { written, views },
    text: `${lines.join("")}\nIn the configuration:\n\n  views: ${JSON.stringify(views)}`,
  }
}

/** `npx latchkey eject` */
export const ejectCommand = defineCommand({
  summary: "copies built-in templates into your views, to change them there",
  about: "Copies built-in templates into a folder of yours, to change them there.",
  more: "Without a name it lists them. What is not copied stays built in, and follows later versions: copy what you change.",
  operands: { shown: `[NAME ... | ${ALL}]`, most: Number.POSITIVE_INFINITY },
  options: {
    to: { type: "string", value: "FOLDER", default: DEFAULT_FOLDER, help: "where to" },
    force: { type: "boolean", help: "writes over files that are there" },
  },
  async run({ operands, values: { to, force } }) {
    const offer = readOffer()
    if (operands.length === 0) return listOf(offer)
    return toResult(eject(filesFor(operands, offer), to, force), optionFor(to))
  },
})

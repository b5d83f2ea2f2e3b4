#!/usr/bin/env node
/**
 * `npx latchkey`: finds the command, prints what came of it, and says in one line what went wrong.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { styleText } from "node:util"
import { nearestName } from "../config/nearest-name.js"
import { type Command, EXIT, type Result, UsageError } from "./command.js"
import { COMMANDS } from "./commands.js"
import { helpOf, helpOfAll } from "./help.js"
import { oneLine } from "./one-line.js"
import { parseCall } from "./parse.js"

const isHelp = (word: string): boolean => word === "--help" || word === "-h"

function readVersion(): Result {
  // Beside `dist/`, where the command runs.
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  return { json: { version }, text: version }
}

async function loadAll(): Promise<ReadonlyMap<string, Command>> {
  return new Map(await Promise.all([...COMMANDS].map(async ([name, load]) => [name, await load()] as const)))
}

function requireCommand(name: string): Promise<Command> {
  const load = COMMANDS.get(name)
  if (load) return load()
  const meant = nearestName(name, [...COMMANDS.keys()])
  const hint = meant ? `; did you mean ${meant}?` : ": npx latchkey --help lists them"
  throw new UsageError(`there is no command ${JSON.stringify(name)}${hint}`)
}

async function runCommand(words: readonly string[], isJson: boolean): Promise<Result> {
  const [name, ...rest] = words.filter((word, index) => index > 0 || word !== "--json")
  if (name === undefined) throw new UsageError("which command? npx latchkey --help lists them")
  if (isHelp(name) || name === "help") return helpOfAll(await loadAll())
  if (name === "--version") return readVersion()
  const command = await requireCommand(name)
  if (rest.some(isHelp)) return helpOf(name, command)
  const canAsk = !isJson && process.stdin.isTTY && process.stdout.isTTY
  return command.run({ ...parseCall(command, rest), terminal: { env: process.env, canAsk } })
}

const print = (text: string): void => void process.stdout.write(text.endsWith("\n") ? text : `${text}\n`)
const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

function tell(error: unknown, isJson: boolean): void {
  const message = oneLine(error)
  if (isJson) printJson({ error: { message } })
  else process.stderr.write(`${styleText("red", "latchkey:", { stream: process.stderr })} ${message}\n`)
}

async function main(words: readonly string[]): Promise<void> {
  const isJson = words.includes("--json")
  try {
    const { json, text, exitCode = EXIT.done } = await runCommand(words, isJson)
    if (isJson) printJson(json)
    else print(text)
    process.exitCode = exitCode
  } catch (error) {
    tell(error, isJson)
    process.exitCode = error instanceof UsageError ? EXIT.wrongUsage : EXIT.failed
  }
}

// A reader that has seen enough, as `head` has, is no failure.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === "EPIPE" ? EXIT.done : EXIT.failed),
)

await main(process.argv.slice(2))

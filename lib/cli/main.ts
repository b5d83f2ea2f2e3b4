#!/usr/bin/env node
/**
 * `npx latchkey`: finds the command, and prints its result or its error in one line.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { styleText } from "node:util"
import { nearestName } from "../config/nearest-name.js"
import { type Command, EXIT, type Result, UsageError } from "./command.js"
import { COMMANDS } from "./commands.js"
import { formatHelp, formatOverview } from "./help.js"
import { oneLine } from "./one-line.js"
import { parseCall } from "./parse.js"

const isHelp = (word: string): boolean => word === "--help" || word === "-h"

function readVersion(): Result {
  // Next to `dist/`, where the command runs.
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  return { json: { version }, text: version }
}

async function loadAll(): Promise<ReadonlyMap<string, Command>> {
  return new Map(await Promise.all([...COMMANDS].map(async ([name, load]) => [name, await load()] as const)))
}

function requireCommand(name: string): Promise<Command> {
  const load = COMMANDS.get(name)
  if (load) return load()
  const suggestion = nearestName(name, [...COMMANDS.keys()])
  const hint = suggestion ? `; did you mean ${suggestion}?` : ": npx latchkey --help lists them"
  throw new UsageError(`there is no command ${JSON.stringify(name)}${hint}`)
}

async function runCommand(words: readonly string[], isJson: boolean): Promise<Result> {
  const [name, ...rest] = words.filter((word, index) => index > 0 || word !== "--json")
  if (name === undefined) throw new UsageError("no command is given: npx latchkey --help lists them")
  if (isHelp(name) || name === "help") return formatOverview(await loadAll())
  if (name === "--version") return readVersion()
  const command = await requireCommand(name)
  if (rest.some(isHelp)) return formatHelp(name, command)
  const canAsk = !isJson && process.stdin.isTTY && process.stdout.isTTY
  return command.run({ ...parseCall(command, rest), terminal: { env: process.env, canAsk } })
}

const print = (text: string): void => void process.stdout.write(text.endsWith("\n") ? text : `${text}\n`)
const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

function reportError(error: unknown, isJson: boolean): void {
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
    reportError(error, isJson)
    process.exitCode = error instanceof UsageError ? EXIT.wrongUsage : EXIT.failed
  }
}

// A reader that closes the pipe early, such as `head`, is not a failure.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === "EPIPE" ? EXIT.done : EXIT.failed),
)

await main(process.argv.slice(2))

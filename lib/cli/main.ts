#!/usr/bin/env node
/**
 * The entry point of `npx latchkey`. Runs a command, and prints its result, or its error in one line.
 *
 * @module
 */
import { styleText } from "node:util"
import { thisCopy } from "../package-copy.js"
import { type Command, EXIT, type Option, type Options, type Result, UsageError } from "./command.js"
import { parseCall, SHARED_OPTIONS } from "./parse.js"
import { columns, didYouMean, oneLine } from "./text.js"

/** The commands by name. The module of a command is loaded only if it is needed. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ["init", async () => (await import("./init.js")).initCommand],
  ["secret", async () => (await import("./secret.js")).secretCommand],
  ["doctor", async () => (await import("./doctor.js")).doctorCommand],
  ["providers", async () => (await import("./providers.js")).providersCommand],
  ["explain", async () => (await import("./explain.js")).explainCommand],
  ["migrate", async () => (await import("./migrate.js")).migrateCommand],
  ["eject", async () => (await import("./eject.js")).ejectCommand],
])

const optionUsage = (name: string, { type, value = "VALUE" }: Option): string =>
  type === "boolean" ? `--${name}` : `--${name} ${value}`

function describeOption({ help, choices, default: byDefault }: Option): string {
  const choiceList = choices ? `: ${choices.join(", ")}` : ""
  return `${help}${choiceList}${byDefault === undefined ? "" : `; default: ${byDefault}`}`
}

/** The output of `npx latchkey COMMAND --help`. */
function formatHelp(name: string, { about, more, operands, options }: Command): Result {
  const all: Options = { ...options, ...SHARED_OPTIONS }
  const usage = ["npx latchkey", name, ...(operands ? [operands.usage] : []), "[OPTION ...]"].join(" ")
  const list = columns(Object.entries(all).map(([key, option]) => [optionUsage(key, option), describeOption(option)]))
  return {
    json: { command: name, about, usage, options: all },
    text: [about, `Usage: ${usage}`, ...(more ? [more] : []), list].join("\n\n"),
  }
}

/** The output of `npx latchkey --help`. */
async function formatOverview(): Promise<Result> {
  const rows = await Promise.all(
    [...COMMANDS].map(async ([name, loadCommand]) => [name, (await loadCommand()).summary] as const),
  )
  const text = [
    "Usage: npx latchkey COMMAND [OPTION ...]",
    columns(rows),
    columns([
      ["--version", "show the version"],
      ["--help", "show this help; npx latchkey COMMAND --help shows the help of a command"],
    ]),
    "Exit codes: 0 success, 1 failure, 2 invalid usage.",
  ]
  return { json: { commands: Object.fromEntries(rows) }, text: text.join("\n\n") }
}

function showVersion(): Result {
  const { version } = thisCopy()
  return { json: { version }, text: version }
}

const isHelp = (word: string): boolean => word === "--help" || word === "-h"

async function runCommand(args: readonly string[], isJson: boolean): Promise<Result> {
  const [name, ...rest] = args.filter((word, index) => index > 0 || word !== "--json")
  if (name === undefined) throw new UsageError("no command is given: npx latchkey --help lists them")
  if (isHelp(name) || name === "help") return formatOverview()
  if (name === "--version") return showVersion()
  const loadCommand = COMMANDS.get(name)
  if (!loadCommand) {
    const hint = didYouMean(name, COMMANDS.keys(), ": npx latchkey --help lists them")
    throw new UsageError(`there is no command ${JSON.stringify(name)}${hint}`)
  }
  const command = await loadCommand()
  if (rest.some(isHelp)) return formatHelp(name, command)
  const canAsk = !isJson && process.stdin.isTTY && process.stdout.isTTY
  return command.run({ ...parseCall(command, rest), terminal: { env: process.env, canAsk } })
}

const print = (text: string): void => void process.stdout.write(text.endsWith("\n") ? text : `${text}\n`)
const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

async function main(args: readonly string[]): Promise<void> {
  const isJson = args.includes("--json")
  try {
    const { json, text, exitCode = EXIT.done } = await runCommand(args, isJson)
    if (isJson) printJson(json)
    else print(text)
    process.exitCode = exitCode
  } catch (error) {
    const message = oneLine(error)
    if (isJson) printJson({ error: { message } })
    else process.stderr.write(`${styleText("red", "latchkey:", { stream: process.stderr })} ${message}\n`)
    process.exitCode = error instanceof UsageError ? EXIT.wrongUsage : EXIT.failed
  }
}

// A reader such as `head` may close the pipe early. That is not a failure.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === "EPIPE" ? EXIT.done : EXIT.failed),
)

await main(process.argv.slice(2))

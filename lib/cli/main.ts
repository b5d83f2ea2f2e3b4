#!/usr/bin/env node
/**
 * `npx latchkey`: finds the command and says in one line what went wrong.
 *
 * @module
 */
import { type Command, type Terminal, UsageError } from "./command.js"
import { ejectCommand } from "./eject.js"
import { migrateCommand } from "./migrate.js"
import { oneLine } from "./one-line.js"
import { providersCommand } from "./providers.js"

/** A row for each command. */
const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ["eject", ejectCommand],
  ["migrate", migrateCommand],
  ["providers", providersCommand],
])

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

const list = [...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}\n`).join("")
const HELP = `Usage: npx latchkey COMMAND\n\n${list}\nnpx latchkey COMMAND --help says more of each.\n`

const isHelp = (word: string | undefined): boolean => word === "--help" || word === "-h"

async function runCommand(words: readonly string[], terminal: Terminal): Promise<void> {
  const [name, ...args] = words
  if (isHelp(name) || name === "help") return terminal.print(HELP)
  if (name === undefined) throw new UsageError("which command? npx latchkey --help lists them")
  const command = COMMANDS.get(name)
  if (!command) throw new UsageError(`there is no command ${JSON.stringify(name)}: npx latchkey --help lists them`)
  if (args.some(isHelp)) return terminal.print(command.help)
  await command.run(args, terminal)
}

const terminal: Terminal = {
  env: process.env,
  print: (text) => void process.stdout.write(text),
}

runCommand(process.argv.slice(2), terminal).then(
  () => {
    process.exitCode = DONE
  },
  (error: unknown) => {
    process.stderr.write(`latchkey: ${oneLine(error)}\n`)
    process.exitCode = error instanceof UsageError ? WRONG_USAGE : FAILED
  },
)

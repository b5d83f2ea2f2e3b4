import type { Command, Option, Options, Result } from "./command.js"
import { SHARED_OPTIONS } from "./parse.js"

/** Formats rows as two aligned columns. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n")
}

const optionUsage = (name: string, { type, value = "VALUE" }: Option): string =>
  type === "boolean" ? `--${name}` : `--${name} ${value}`

function describeOption({ help, choices, default: byDefault }: Option): string {
  const words = choices ? `: ${choices.join(", ")}` : ""
  return `${help}${words}${byDefault === undefined ? "" : `; default: ${byDefault}`}`
}

/** The output of `npx latchkey COMMAND --help`. */
export function formatHelp(name: string, { about, more, operands, options }: Command): Result {
  const all: Options = { ...options, ...SHARED_OPTIONS }
  const usage = ["npx latchkey", name, ...(operands ? [operands.usage] : []), "[OPTION ...]"].join(" ")
  const list = columns(Object.entries(all).map(([key, option]) => [optionUsage(key, option), describeOption(option)]))
  return {
    json: { command: name, about, usage, options: all },
    text: [about, `Usage: ${usage}`, ...(more ? [more] : []), list].join("\n\n"),
  }
}

/** The output of `npx latchkey --help`. */
export function formatOverview(commands: ReadonlyMap<string, Command>): Result {
  const rows = [...commands].map(([name, { summary }]) => [name, summary] as const)
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

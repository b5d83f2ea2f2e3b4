import type { Command, Option, Options, Result } from "./command.js"
import { SHARED_OPTIONS } from "./parse.js"

/** Rows of two columns, the first as wide as its widest. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n")
}

const shown = (name: string, { type, value = "VALUE" }: Option): string =>
  type === "boolean" ? `--${name}` : `--${name} ${value}`

function said({ help, choices, default: byDefault }: Option): string {
  const words = choices ? `: ${choices.join(", ")}` : ""
  return `${help}${words}${byDefault === undefined ? "" : `; ${byDefault} when not given`}`
}

/** What `npx latchkey COMMAND --help` shows. */
export function helpOf(name: string, { about, more, operands, options }: Command): Result {
  const all: Options = { ...options, ...SHARED_OPTIONS }
  const usage = ["npx latchkey", name, ...(operands ? [operands.shown] : []), "[OPTION ...]"].join(" ")
  const list = columns(Object.entries(all).map(([key, option]) => [shown(key, option), said(option)]))
  return {
    json: { command: name, about, usage, options: all },
    text: [about, `Usage: ${usage}`, ...(more ? [more] : []), list].join("\n\n"),
  }
}

/** What `npx latchkey --help` shows. */
export function helpOfAll(commands: ReadonlyMap<string, Command>): Result {
  const rows = [...commands].map(([name, { summary }]) => [name, summary] as const)
  const text = [
    "Usage: npx latchkey COMMAND [OPTION ...]",
    columns(rows),
    columns([
      ["--version", "shows the version"],
      ["--help", "shows this; npx latchkey COMMAND --help says more of each"],
    ]),
    "Exit codes: 0 done, 1 failed, 2 wrong usage.",
  ]
  return { json: { commands: Object.fromEntries(rows) }, text: text.join("\n\n") }
}

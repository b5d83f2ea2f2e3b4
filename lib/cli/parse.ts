import { parseArgs } from "node:util"
import { nearestName } from "../config/nearest-name.js"
import { shownAddress } from "./address.js"
import { type Call, type Command, type Option, type Options, UsageError } from "./command.js"

/** What every command has. */
export const SHARED_OPTIONS = {
  json: { type: "boolean", help: "gives the answer as JSON" },
  help: { type: "boolean", help: "shows this" },
} as const satisfies Options

const configOf = (options: Options) =>
  Object.fromEntries(
    Object.entries(options).map(([name, { type }]) => [
      name,
      { type: type === "boolean" ? ("boolean" as const) : ("string" as const), multiple: type === "list" },
    ]),
  )

interface OptionToken {
  readonly kind: "option"
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

/** The option that a word names. */
function requireOption({ name, rawName }: OptionToken, options: Options): Option {
  const option = Object.hasOwn(options, name) ? options[name] : undefined
  if (option) return option
  const meant = nearestName(name, Object.keys(options))
  throw new UsageError(`there is no option ${rawName}${meant ? `; did you mean --${meant}?` : ": --help lists them"}`)
}

/** Throws where an option was given otherwise than it is meant. */
function checkToken(token: OptionToken, options: Options): void {
  const { name, value, inlineValue } = token
  const { type, value: shown = "VALUE", choices } = requireOption(token, options)
  if (type === "boolean") {
    if (value !== undefined) throw new UsageError(`--${name} takes no value`)
    return
  }
  // `--sqlite --print` has forgotten the file; a file of that name is `--sqlite=--print`.
  if (value === undefined || (!inlineValue && value.startsWith("--")))
    throw new UsageError(`--${name} needs a value: --${name} ${shown}`)
  if (value === "") throw new UsageError(`--${name} is empty`)
  if (choices) for (const word of wordsIn(value, type)) checkChoice(name, word, choices)
}

function checkChoice(name: string, word: string, choices: readonly string[]): void {
  if (choices.includes(word)) return
  const meant = nearestName(word, choices)
  const hint = meant ? `did you mean ${meant}?` : `there are ${choices.join(", ")}`
  throw new UsageError(`--${name} has no ${JSON.stringify(word)}; ${hint}`)
}

const wordsIn = (value: string, type: Option["type"]): string[] =>
  type === "list"
    ? value
        .split(",")
        .map((word) => word.trim())
        .filter(Boolean)
    : [value]

function checkOperands(operands: readonly string[], { operands: taken }: Command): void {
  const [first] = operands.slice(taken?.most ?? 0)
  if (first === undefined) return
  // What was forgotten may be the option before an address with a password.
  if (!taken) throw new UsageError(`unexpected argument ${JSON.stringify(shownAddress(first))}`)
  throw new UsageError(`${operands.length} arguments, where ${taken.shown} is taken`)
}

const valueGiven = ({ type, default: byDefault }: Option, given: unknown) => {
  if (type === "boolean") return given === true
  if (type === "list") return [given ?? []].flat().flatMap((value) => wordsIn(String(value), type))
  return given ?? byDefault
}

/**
 * What was given to a command.
 *
 * @throws UsageError naming the first word that has no place
 */
export function parseCall(command: Command, words: readonly string[]): Omit<Call, "terminal"> {
  const options: Options = { ...command.options, ...SHARED_OPTIONS }
  const parsed = parseArgs({
    args: [...words],
    options: configOf(options),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  for (const token of parsed.tokens) if (token.kind === "option") checkToken(token, options)
  checkOperands(parsed.positionals, command)
  const values = Object.entries(options).map(([name, option]) => [name, valueGiven(option, parsed.values[name])])
  // Each was checked against its option's type above.
  return { values: Object.fromEntries(values) as Call["values"], operands: parsed.positionals }
}

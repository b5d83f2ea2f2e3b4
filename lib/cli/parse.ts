import { parseArgs } from "node:util"
import { nearestName } from "../config/nearest-name.js"
import { redactAddress } from "./address.js"
import { type Call, type Command, type Option, type Options, UsageError } from "./command.js"

/** The options of every command. */
export const SHARED_OPTIONS = {
  json: { type: "boolean", help: "print the result as JSON" },
  help: { type: "boolean", help: "show this help" },
} as const satisfies Options

const toParserConfig = (options: Options) =>
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

/** Returns the option of a token. */
function requireOption({ name, rawName }: OptionToken, options: Options): Option {
  const option = Object.hasOwn(options, name) ? options[name] : undefined
  if (option) return option
  const suggestion = nearestName(name, Object.keys(options))
  throw new UsageError(
    `there is no option ${rawName}${suggestion ? `; did you mean --${suggestion}?` : ": --help lists them"}`,
  )
}

/** Throws if an option is used incorrectly. */
function checkToken(token: OptionToken, options: Options): void {
  const { name, value, inlineValue } = token
  const { type, value: placeholder = "VALUE", choices } = requireOption(token, options)
  if (type === "boolean") {
    if (value !== undefined) throw new UsageError(`--${name} takes no value`)
    return
  }
  // In `--sqlite --print` the value is missing. For a file named --print, users write `--sqlite=--print`.
  if (value === undefined || (!inlineValue && value.startsWith("--")))
    throw new UsageError(`--${name} needs a value: --${name} ${placeholder}`)
  if (value === "") throw new UsageError(`--${name} is empty`)
  if (choices) for (const word of splitWords(value, type)) checkChoice(name, word, choices)
}

function checkChoice(name: string, word: string, choices: readonly string[]): void {
  if (choices.includes(word)) return
  const suggestion = nearestName(word, choices)
  const hint = suggestion ? `did you mean ${suggestion}?` : `use ${choices.join(", ")}`
  throw new UsageError(`--${name} does not accept ${JSON.stringify(word)}; ${hint}`)
}

const splitWords = (value: string, type: Option["type"]): string[] =>
  type === "list"
    ? value
        .split(",")
        .map((word) => word.trim())
        .filter(Boolean)
    : [value]

function checkOperands(operands: readonly string[], { operands: accepted }: Command): void {
  const [first] = operands.slice(accepted?.max ?? 0)
  if (first === undefined) return
  // The argument may be an address with a password, if the user forgot the option before it.
  if (!accepted) throw new UsageError(`unexpected argument ${JSON.stringify(redactAddress(first))}`)
  throw new UsageError(`${operands.length} arguments, but only ${accepted.usage} is accepted`)
}

const readValue = ({ type, default: byDefault }: Option, given: unknown) => {
  if (type === "boolean") return given === true
  if (type === "list") return [given ?? []].flat().flatMap((value) => splitWords(String(value), type))
  return given ?? byDefault
}

/**
 * Parses the words after a command's name.
 *
 * @throws UsageError that names the first invalid word
 */
export function parseCall(command: Command, words: readonly string[]): Omit<Call, "terminal"> {
  const options: Options = { ...command.options, ...SHARED_OPTIONS }
  const parsed = parseArgs({
    args: [...words],
    options: toParserConfig(options),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  for (const token of parsed.tokens) if (token.kind === "option") checkToken(token, options)
  checkOperands(parsed.positionals, command)
  const values = Object.entries(options).map(([name, option]) => [name, readValue(option, parsed.values[name])])
  // Each value was checked against its option's type above.
  return { values: Object.fromEntries(values) as Call["values"], operands: parsed.positionals }
}

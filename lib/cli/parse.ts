import { parseArgs } from "node:util"
import { type Call, type Command, type Option, type Options, UsageError } from "./command.js"
import { didYouMean, redactAddress } from "./text.js"

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

/** @throws UsageError if the option does not exist or is used incorrectly */
function checkToken({ name, rawName, value, inlineValue }: OptionToken, options: Options): void {
  const option = Object.hasOwn(options, name) ? options[name] : undefined
  if (!option) {
    const hint = didYouMean(name, Object.keys(options), ": --help lists them")
    throw new UsageError(`there is no option ${rawName}${hint.replace("mean ", "mean --")}`)
  }
  const { type, value: placeholder = "VALUE", choices } = option
  if (type === "boolean") {
    if (value !== undefined) throw new UsageError(`--${name} takes no value`)
    return
  }
  // In `--sqlite --print`, the value of `--sqlite` is missing. For a file named --print, users write
  // `--sqlite=--print`.
  if (value === undefined || (!inlineValue && value.startsWith("--")))
    throw new UsageError(`--${name} needs a value: --${name} ${placeholder}`)
  if (value === "") throw new UsageError(`--${name} is empty`)
  if (!choices) return
  const unknown = splitWords(value, type).find((word) => !choices.includes(word))
  if (unknown === undefined) return
  const hint = didYouMean(unknown, choices, `; use ${choices.join(", ")}`)
  throw new UsageError(`--${name} does not accept ${JSON.stringify(unknown)}${hint}`)
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
  // Users may forget `--postgres` before the URL of a database, so the argument may contain a password.
  if (!accepted) throw new UsageError(`unexpected argument ${JSON.stringify(redactAddress(first))}`)
  throw new UsageError(`${operands.length} arguments, but the maximum is ${accepted.max}: ${accepted.usage}`)
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
  // `checkToken` has checked each value against the type of its option.
  return { values: Object.fromEntries(values) as Call["values"], operands: parsed.positionals }
}

/** What may be written behind a command's name, as data: parsing, `--help` and what is said of a mistake come of it. */
export interface Option {
  /** `list` takes several words, separated by commas or given one by one. */
  readonly type: "boolean" | "string" | "list"
  /** What stands for the value in `--help`: FILE. */
  readonly value?: string
  /** The only words that are taken. */
  readonly choices?: readonly string[]
  /** Taken when it is not given. */
  readonly default?: string
  /** For `--help`: one line. */
  readonly help: string
}

export type Options = Readonly<Record<string, Option>>

type WordOf<O extends Option> = O extends { choices: readonly (infer Word extends string)[] } ? Word : string

type ValueOf<O extends Option> = O["type"] extends "boolean"
  ? boolean
  : O["type"] extends "list"
    ? readonly WordOf<O>[]
    : O extends { default: string }
      ? WordOf<O>
      : WordOf<O> | undefined

/** The options as they were given. A list that was not given is empty. */
export type ValuesOf<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> }

/** What a command works with; of the process it sees no more. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Somebody sits there and can be asked: not in a pipe, and not with `--json`. */
  readonly canAsk: boolean
}

/** A command line, understood. */
export interface Call<O extends Options = Options> {
  readonly values: ValuesOf<O>
  /** The words that are no options. */
  readonly operands: readonly string[]
  readonly terminal: Terminal
}

export const EXIT = { done: 0, failed: 1, wrongUsage: 2 } as const

/** What came of it, for people and for programs; the frame prints the one or the other. */
export interface Result {
  /** Printed with `--json`. */
  readonly json: unknown
  /** Printed without. Colours are those of `styleText`, which knows when there are none. */
  readonly text: string
  /** @default EXIT.done */
  readonly exitCode?: (typeof EXIT)[keyof typeof EXIT]
}

/** One command of `npx latchkey`. */
export interface Command<O extends Options = Options> {
  /** For the list of commands: one line. */
  readonly summary: string
  /** The first sentence of `--help`. */
  readonly about: string
  /** Whatever else there is to say in `--help`, before the options. */
  readonly more?: string
  /** Words that are no options; none are taken without. */
  readonly operands?: { readonly shown: string; readonly most: number }
  /** Besides `--json` and `--help`, which every command has. */
  readonly options: O
  /**
   * Does it.
   *
   * @throws UsageError when it was called in a wrong way; whatever else is thrown is told in one line
   */
  run(call: Call<O>): Promise<Result>
}

/**
 * A command whose `run` knows the types of its options.
 *
 * @example
 *   export const greetCommand = defineCommand({
 *     summary: "greets somebody",
 *     about: "Greets somebody.",
 *     options: { name: { type: "string", value: "NAME", default: "you", help: "whom" } },
 *     run: async ({ values: { name } }) => ({ json: { name }, text: `Hello, ${name}` }),
 *   })
 */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command
}

/** A command line that can't be understood. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

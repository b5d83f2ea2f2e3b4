/** An option of a command, as data for the parser, for `--help` and for usage errors. */
export interface Option {
  /** `list` accepts several words, separated by commas or in repeated options. */
  readonly type: "boolean" | "string" | "list"
  /** The placeholder of the value in `--help`: FILE. */
  readonly value?: string
  /** The accepted words. */
  readonly choices?: readonly string[]
  /** The value if the option is not given. */
  readonly default?: string
  /** One line for `--help`. */
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

/** The parsed values of the options. A list that is not given is empty. */
export type ValuesOf<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> }

/** The part of the process that a command can access. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** True if the command may ask questions: not in a pipe, and not with `--json`. */
  readonly canAsk: boolean
}

/** A parsed command line. */
export interface Call<O extends Options = Options> {
  readonly values: ValuesOf<O>
  /** The words that are not options. */
  readonly operands: readonly string[]
  readonly terminal: Terminal
}

export const EXIT = { done: 0, failed: 1, wrongUsage: 2 } as const

/** The result of a command, as text and as JSON; `main` prints one of them. */
export interface Result {
  /** Printed with `--json`. */
  readonly json: unknown
  /** Printed without `--json`. `styleText` adds colours only where they are supported. */
  readonly text: string
  /** @default EXIT.done */
  readonly exitCode?: (typeof EXIT)[keyof typeof EXIT]
}

/** One command of `npx latchkey`. */
export interface Command<O extends Options = Options> {
  /** One line for the list of commands. */
  readonly summary: string
  /** The first sentence of `--help`. */
  readonly about: string
  /** Further text of `--help`, before the options. */
  readonly more?: string
  /** Words that are not options: their form in the usage line, and the maximum. If absent, the command accepts none. */
  readonly operands?: { readonly usage: string; readonly max: number }
  /** The options of this command, besides `--json` and `--help`. */
  readonly options: O
  /**
   * Runs the command.
   *
   * @throws UsageError for invalid usage. Other errors are printed in one line.
   */
  run(call: Call<O>): Promise<Result>
}

/** Defines a command whose `run` has the types of its options. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command
}

/** Thrown for an invalid command line. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

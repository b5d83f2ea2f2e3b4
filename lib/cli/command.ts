/** An option of a command. The parser, `--help` and the usage errors use this description. */
export interface Option {
  /** A `list` accepts several words. They are separated by commas, or the option is repeated. */
  readonly type: "boolean" | "string" | "list"
  /** The placeholder for the value in `--help`, such as FILE. */
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

/** The parsed values of the options, by name. The value of a `list` that is not given is empty. */
export type ValuesOf<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> }

/** The environment variables, and whether the terminal is interactive. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** True if the command may ask questions: input and output are a terminal, and `--json` is not given. */
  readonly canAsk: boolean
}

/** A parsed command line. */
export interface Call<O extends Options = Options> {
  readonly values: ValuesOf<O>
  /** The words that are not options. */
  readonly operands: readonly string[]
  readonly terminal: Terminal
}

/** The exit codes of the process. */
export const EXIT = { done: 0, failed: 1, wrongUsage: 2 } as const

/** The result of a command. `main` prints it either as JSON or as text. */
export interface Result {
  /** Printed with `--json`. */
  readonly json: unknown
  /**
   * Printed without `--json`. Colours are added with `styleText`, which omits them if the output does not support
   * colours.
   */
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
  /**
   * The words that are not options: their form in the usage line, and their maximum number. Absent if none is accepted.
   */
  readonly operands?: { readonly usage: string; readonly max: number }
  /** The options of this command, besides `--json` and `--help`. */
  readonly options: O
  /**
   * Runs the command.
   *
   * @throws UsageError for an invalid command line (exit code 2), any other error for a failure (exit code 1)
   */
  run(call: Call<O>): Promise<Result>
}

/** Returns the command. TypeScript infers the types of the values in `run` from `options`. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command
}

/** Thrown for an invalid command line. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

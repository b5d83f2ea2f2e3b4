/** What a command works with; of the process it sees no more. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Writes to the standard output. */
  print(text: string): void
}

/** One command of `npx latchkey`. */
export interface Command {
  /** For the list of commands: one line. */
  readonly summary: string
  /** What `--help` shows. */
  readonly help: string
  /**
   * Does it.
   *
   * @throws UsageError when it was called in a wrong way; whatever else is thrown is told in one line
   */
  run(args: readonly string[], terminal: Terminal): Promise<void>
}

/** A command line that can't be understood. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** What is said of one code, on its page under `docs/errors/`, by `npx latchkey explain` and in development. */
export interface CodeRow {
  /** What is the matter, as a heading. */
  readonly title: string
  /** How it comes to be: a sentence or a few. */
  readonly cause: string
  /** What to do, in Markdown, with the lines to write. */
  readonly remedy: string
  /** Where more of it stands: a page of `docs/`, with its heading. */
  readonly see: string
}

/** Rows under their codes. The names make the type: a code without a row is none. */
export const rows = <Code extends string>(table: Readonly<Record<Code, CodeRow>>): Readonly<Record<Code, CodeRow>> =>
  table

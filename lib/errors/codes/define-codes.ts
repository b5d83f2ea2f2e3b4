/** The text of one code, for its page under `docs/errors/`, `npx latchkey explain` and the error page in development. */
export interface CodeRow {
  /** The problem, as a heading. */
  readonly title: string
  /** The cause, in one or a few sentences. */
  readonly cause: string
  /** The fix, in Markdown, with the lines to write. */
  readonly remedy: string
  /** Further reading: a page of `docs/`, with the anchor of a heading. */
  readonly docs: string
}

/** Defines rows by their codes. The type `MessageCode` is derived from the keys. */
export const defineCodes = <Code extends string>(
  table: Readonly<Record<Code, CodeRow>>,
): Readonly<Record<Code, CodeRow>> => table

/**
 * The text of a `.env` file, changed so that nothing else in it moves.
 *
 * @module
 */
import { parseEnv } from "node:util"

/** `NAME=`, perhaps behind `export`; what follows is the value with its comment. A line that begins with # is none. */
const assignmentOf = (name: string) => new RegExp(`^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=)([^\\r\\n]*)`, "gm")

/** Nothing, or quotes around nothing; a comment may follow. */
const EMPTY = /^(?:[ \t]*(?:""|''|``))?([ \t]*(?:#.*)?)$/

/** Whether a line gives the variable a value. */
export const hasValue = (text: string, name: string): boolean =>
  [...text.matchAll(assignmentOf(name))].some(({ 2: value = "" }) => !EMPTY.test(value))

/** Whether a line names the variable, with or without a value. */
export const hasName = (text: string, name: string): boolean => assignmentOf(name).test(text)

/** The text with lines after it, ended as the others are; without an end where the last one had none. */
export function withLines(text: string, lines: readonly string[]): string {
  const end = /\r?\n/.exec(text)?.[0] ?? "\n"
  const added = lines.join(end)
  if (text === "") return added + end
  return /\n$/.test(text) ? text + added + end : text + end + added
}

/** The value put where the variable has none, the last time that it is named. */
function filledIn(text: string, name: string, value: string): string {
  const last = [...text.matchAll(assignmentOf(name))].at(-1)
  if (!last) return text
  const [whole, before = "", rest = ""] = last
  const comment = EMPTY.exec(rest)?.[1] ?? ""
  return text.slice(0, last.index) + before + value + comment + text.slice(last.index + whole.length)
}

/** Whether Node.js reads the variable so, and all others as before. */
function isReadAs(value: string, name: string, [before, after]: readonly [string, string]): boolean {
  const expected = { ...parseEnv(before), [name]: value }
  const read = parseEnv(after)
  return (
    Object.keys(read).length === Object.keys(expected).length &&
    Object.entries(expected).every(([key, text]) => read[key] === text)
  )
}

/**
 * The text with a value for a variable that has none: filled in where the variable is named, else in a line of its own
 * at the end. Undefined when neither would be read so: what looks like a line may be in the middle of another's value.
 */
export const withValue = (text: string, name: string, value: string): string | undefined =>
  [filledIn(text, name, value), withLines(text, [`${name}=${value}`])].find((changed) =>
    isReadAs(value, name, [text, changed]),
  )

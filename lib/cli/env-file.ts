/**
 * Sets variables in the text of a `.env` file, and leaves the rest of the text unchanged.
 *
 * @module
 */
import { parseEnv } from "node:util"

/** Matches `NAME=`, optionally after `export`, and then the value with its comment. Skips lines that begin with #. */
const assignmentPattern = (name: string) => new RegExp(`^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=)([^\\r\\n]*)`, "gm")

/** Matches an empty value or empty quotes, and an optional comment. */
const EMPTY = /^(?:[ \t]*(?:""|''|``))?([ \t]*(?:#.*)?)$/

/** True if a line assigns a non-empty value to the variable. */
export const hasValue = (text: string, name: string): boolean =>
  [...text.matchAll(assignmentPattern(name))].some(({ 2: value = "" }) => !EMPTY.test(value))

/** True if a line names the variable, with or without a value. */
export const hasName = (text: string, name: string): boolean => assignmentPattern(name).test(text)

/**
 * Appends lines, with the line ending of the text. The result ends with a line ending if the text does, or if the text
 * is empty.
 */
export function withLines(text: string, lines: readonly string[]): string {
  const lineEnding = /\r?\n/.exec(text)?.[0] ?? "\n"
  const added = lines.join(lineEnding)
  if (text === "") return added + lineEnding
  return /\n$/.test(text) ? text + added + lineEnding : text + lineEnding + added
}

/** Returns the text with the value in the last line that names the variable, which is the line that Node.js uses. */
function fillLine(text: string, name: string, value: string): string {
  const last = [...text.matchAll(assignmentPattern(name))].at(-1)
  if (!last) return text
  const [whole, before = "", rest = ""] = last
  const comment = EMPTY.exec(rest)?.[1] ?? ""
  return text.slice(0, last.index) + before + value + comment + text.slice(last.index + whole.length)
}

/** True if Node.js reads this value for the variable from the changed text, and the other variables are unchanged. */
function isParsedCorrectly(value: string, name: string, [before, after]: readonly [string, string]): boolean {
  const expected = { ...parseEnv(before), [name]: value }
  const read = parseEnv(after)
  return (
    Object.keys(read).length === Object.keys(expected).length &&
    Object.entries(expected).every(([key, text]) => read[key] === text)
  )
}

/**
 * Returns the text with a value for a variable that has no value yet. Fills the line that names the variable. If there
 * is no such line, or if Node.js would not read the filled line correctly, for example because it is inside a value of
 * several lines, adds a line at the end instead. Returns undefined if Node.js would not read the added line correctly.
 */
export const withValue = (text: string, name: string, value: string): string | undefined =>
  [fillLine(text, name, value), withLines(text, [`${name}=${value}`])].find((changed) =>
    isParsedCorrectly(value, name, [text, changed]),
  )

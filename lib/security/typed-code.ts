/**
 * Random codes that users type.
 *
 * @module
 */
import { randomInt } from "node:crypto"

/** Letters and digits that do not look alike. There are no vowels, so that no code contains a word. */
const ALPHABET = "CDFHJKMNPRTVWXY3479"
const WELL_FORMED = new RegExp(`^[${ALPHABET}]+$`)
/** The maximum length of submitted text. It is checked first, because normalising very long text is slow. */
const MAX_INPUT_LENGTH = 100

/** Returns random characters for a code. Each character has 4.2 bits of entropy. */
export const randomCodeCharacters = (length: number): string =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("")

/** Returns a submitted code in upper case, without spaces and hyphens; undefined if the text can't be a code. */
export function parseTypedCode(submitted: string, length: number): string | undefined {
  if (submitted.length > MAX_INPUT_LENGTH) return undefined
  const code = submitted
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[\s\p{Pd}\p{Cf}]/gu, "")
  return code.length === length && WELL_FORMED.test(code) ? code : undefined
}

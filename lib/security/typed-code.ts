/**
 * Random codes that users type.
 *
 * @module
 */
import { randomInt } from "node:crypto"

/** Letters and digits that do not resemble each other, without vowels, so that no code contains a word. */
const ALPHABET = "CDFHJKMNPRTVWXY3479"
const WELL_FORMED = new RegExp(`^[${ALPHABET}]+$`)
/** Checked first, because normalising very long text is slow. */
const MAX_INPUT_LENGTH = 100

/** Returns random characters of 4.2 bits each. */
export const createCharacters = (length: number): string =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("")

/** Removes spaces, hyphens and the difference of case from a submitted code. Undefined if it can't be a code. */
export function parseCharacters(submitted: string, length: number): string | undefined {
  if (submitted.length > MAX_INPUT_LENGTH) return undefined
  const code = submitted
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[\s\p{Pd}\p{Cf}]/gu, "")
  return code.length === length && WELL_FORMED.test(code) ? code : undefined
}

/**
 * The code that an email contains besides the link. Users type it into the page of the browser that requested the link.
 *
 * @module
 */
import { randomInt } from "node:crypto"

/** The lifetime of a code. Its link may expire earlier, and ends it then. */
export const CODE_MAX_AGE_SECONDS = 600
/** Letters and digits that do not resemble each other, without vowels, so that no code contains a word. */
const ALPHABET = "CDFHJKMNPRTVWXY3479"
const LENGTH = 8
const WELL_FORMED = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)
/** Checked first, because normalising very long text is slow. */
const MAX_INPUT_LENGTH = 100

/** Returns 8 random characters: 34 bits, of which five tries guess one in three billion. */
export const createCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("")

/** Formats a code in two groups, as the email shows it: "CDFH-J479". */
export const formatCode = (code: string): string => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`

/** Removes spaces, hyphens and the difference of case from a submitted code. Undefined if it can't be a code. */
export function parseCode(submitted: string): string | undefined {
  if (submitted.length > MAX_INPUT_LENGTH) return undefined
  const code = submitted
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[\s\p{Pd}\p{Cf}]/gu, "")
  return WELL_FORMED.test(code) ? code : undefined
}

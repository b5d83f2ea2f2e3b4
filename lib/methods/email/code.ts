/**
 * The code that an email contains besides the link. Users type it into the page of the browser that requested the link.
 *
 * @module
 */
import { parseTypedCode, randomCodeCharacters } from "../../security/typed-code.js"

/** The lifetime of a code. If its link expires earlier, so does the code. */
export const CODE_MAX_AGE_SECONDS = 600
const LENGTH = 8

/** Returns 8 random characters (34 bits). Five tries guess a code with a probability of one in three billion. */
export const createCode = (): string => randomCodeCharacters(LENGTH)

/** Formats a code in two groups, as the email shows it: "CDFH-J479". */
export const formatCode = (code: string): string => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`

/** Removes spaces and hyphens from a submitted code, and converts it to upper case. Undefined if it can't be a code. */
export const parseCode = (submitted: string): string | undefined => parseTypedCode(submitted, LENGTH)

/**
 * Recovery codes. If users lose their authenticator app, each code replaces the app in one sign-in.
 *
 * @module
 */
import { randomBytes, scrypt } from "node:crypto"
import { promisify } from "node:util"
import { isEqualText } from "../security/tokens.js"
import { parseTypedCode, randomCodeCharacters } from "../security/typed-code.js"

const COUNT = 10
const LENGTH = 10
const HASH_BYTES = 32

/** The recovery codes of a user, hashed. */
export interface StoredRecoveryCodes {
  readonly salt: string
  /** The hashes of the unused codes. */
  readonly hashes: readonly string[]
}

const derive = promisify(scrypt) as (text: string, salt: string, length: number) => Promise<Buffer>

/** Hashes a code slowly with scrypt, because a code has less than 112 bits of entropy (OWASP ASVS 5.0, 6.5.2). */
const hash = async (code: string, salt: string): Promise<string> =>
  (await derive(code, salt, HASH_BYTES)).toString("base64url")

/** Formats a code in two groups: "CDFHJ-47XYM". */
const format = (code: string): string => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`

/** Creates ten codes. The user sees the codes once, and only their hashes are stored. */
export async function createRecoveryCodes(): Promise<{ codes: readonly string[]; stored: StoredRecoveryCodes }> {
  const codes = Array.from({ length: COUNT }, () => randomCodeCharacters(LENGTH))
  const salt = randomBytes(16).toString("base64url")
  const hashes = await Promise.all(codes.map((code) => hash(code, salt)))
  return { codes: codes.map(format), stored: { salt, hashes } }
}

/** Returns the codes without the submitted code; undefined if the submitted text is not one of the unused codes. */
export async function removeUsedCode(
  submitted: string,
  { salt, hashes }: StoredRecoveryCodes,
): Promise<StoredRecoveryCodes | undefined> {
  const code = parseTypedCode(submitted, LENGTH)
  if (code === undefined) return undefined
  const usedHash = await hash(code, salt)
  const remaining = hashes.filter((stored) => !isEqualText(stored, usedHash))
  return remaining.length < hashes.length ? { salt, hashes: remaining } : undefined
}

/**
 * The list of keys that a visitor gets who names an address (WebAuthn §14.6.2). It looks the same whether the address
 * has no user, a user without keys, or a user with keys.
 *
 * @module
 */
import { hkdfSync } from "node:crypto"
import type { Keyring } from "../../security/keys.js"

/** The lengths of ids in a list, in bytes: those that common authenticators make. */
const LENGTHS = [16, 16, 20, 20, 32, 32, 48, 64, 64]
const TOTAL_LENGTH = LENGTHS.reduce((sum, length) => sum + length, 0)

/** An id for each length, the same ones for one address each time. */
function makeDecoys(email: string, purpose: string, { secrets }: Keyring): Buffer[] {
  // The oldest secret: like real ids, decoys must not change when a new secret is put before it.
  const bytes = Buffer.from(hkdfSync("sha256", secrets.at(-1) ?? "", email, purpose, TOTAL_LENGTH))
  const starts = LENGTHS.map((_, i) => LENGTHS.slice(0, i).reduce((sum, length) => sum + length, 0))
  return LENGTHS.map((length, i) => bytes.subarray(starts[i], (starts[i] ?? 0) + length))
}

/** The user's ids, each in a place of its length, and decoys in all other places; all are base64url. */
export function withDecoys(
  ids: readonly string[],
  { email, purpose, keys }: { readonly email: string; readonly purpose: string; readonly keys: Keyring },
): string[] {
  const left = [...ids]
  const places = makeDecoys(email, purpose, keys).map((decoy) => {
    const fitting = left.findIndex((id) => Buffer.byteLength(id, "base64url") === decoy.length)
    const [id = decoy.toString("base64url")] = fitting < 0 ? [] : left.splice(fitting, 1)
    return id
  })
  return [...places, ...left]
}

/**
 * The list of credential ids for an address that a visitor names (WebAuthn §14.6.2). It looks the same whether the
 * address has no user, a user without passkeys, or a user with passkeys.
 *
 * @module
 */
import { hkdfSync } from "node:crypto"
import type { Keyring } from "../../security/keys.js"

/** The lengths of the ids in a list, in bytes. Common authenticators create ids of these lengths. */
const LENGTHS = [16, 16, 20, 20, 32, 32, 48, 64, 64]
const TOTAL_LENGTH = LENGTHS.reduce((sum, length) => sum + length, 0)

/** Creates one id per length. The ids of an address are always the same. */
function createDecoys(email: string, purpose: string, { secrets }: Keyring): Buffer[] {
  // The oldest secret is used, because decoys must not change when a new secret is added, just as real ids do not.
  const bytes = Buffer.from(hkdfSync("sha256", secrets.at(-1) ?? "", email, purpose, TOTAL_LENGTH))
  const starts = LENGTHS.map((_, i) => LENGTHS.slice(0, i).reduce((sum, length) => sum + length, 0))
  return LENGTHS.map((length, i) => bytes.subarray(starts[i], (starts[i] ?? 0) + length))
}

/** Replaces the decoys of matching length with the user's ids. All ids are base64url. */
export function withDecoys(
  ids: readonly string[],
  { email, purpose, keys }: { readonly email: string; readonly purpose: string; readonly keys: Keyring },
): string[] {
  const remaining = [...ids]
  const list = createDecoys(email, purpose, keys).map((decoy) => {
    const index = remaining.findIndex((id) => Buffer.byteLength(id, "base64url") === decoy.length)
    const [id = decoy.toString("base64url")] = index < 0 ? [] : remaining.splice(index, 1)
    return id
  })
  return [...list, ...remaining]
}

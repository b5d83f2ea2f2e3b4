/**
 * Which address an account proves.
 *
 * @module
 */
import type { AdapterAccount, AdapterUser } from "../adapters/adapter.js"
import { isPlainObject } from "../merge.js"
import type { Identity } from "../methods/method.js"
import type { Runtime } from "../runtime.js"
import { isSameAddress } from "../security/email-address.js"
import type { User } from "../types.js"

/** What is stored with a new account: the address that its provider verified, or "". */
export const provenEmail = ({ isEmailVerified, user: { email } }: Identity): string =>
  isEmailVerified && email ? email : ""

/** The address of a user, if it has been proved, else "". */
export function provenEmailOf(user: User): string {
  const { email, emailVerified } = user as Partial<AdapterUser>
  return emailVerified && email ? email : ""
}

/** The claims of a stored id_token. Its signature was verified, or it came from the provider over TLS. */
function claimsIn(idToken: string): Record<string, unknown> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString("utf8"))
    return isPlainObject(claims) ? claims : {}
  } catch {
    return {}
  }
}

function claimsProve(idToken: string, { provider }: AdapterAccount, email: string, { providers }: Runtime): boolean {
  const claims = claimsIn(idToken)
  if (typeof claims["email"] !== "string" || !isSameAddress(claims["email"], email)) return false
  const { isEmailVerified } = providers.get(provider)?.provider ?? {}
  if (!isEmailVerified) return claims["email_verified"] === true
  try {
    return isEmailVerified(claims)
  } catch {
    // The application's function may expect what userinfo answers.
    return false
  }
}

/** Undefined where neither the store nor an id_token says which address the account is of. */
function provesByRecord(account: AdapterAccount, email: string, runtime: Runtime): boolean | undefined {
  const { provenEmail: proven, id_token } = account
  if (typeof proven === "string") return proven !== "" && isSameAddress(proven, email)
  if (account.type === "webauthn") return false
  return typeof id_token === "string" ? claimsProve(id_token, account, email, runtime) : undefined
}

/** Adapters that keep the proof have it of every account. */
const isOfVerifyingProvider = ({ provider }: AdapterAccount, { adapter, providers }: Runtime): boolean =>
  !adapter?.keepsProvenEmail && providers.get(provider)?.provider.provesEmail === "always"

/**
 * Those of a user's accounts that prove the user's address, by what was stored with each. For an account without such a
 * record the provider's definition decides, but only if no other account is in doubt: a user who was created by a passkey
 * may have connected an account that is of another address.
 */
export function provingAccounts(
  { email }: AdapterUser,
  accounts: readonly AdapterAccount[],
  runtime: Runtime,
): readonly AdapterAccount[] {
  const verdicts = accounts.map((account) => provesByRecord(account, email, runtime))
  const areAllPlausible = accounts.every((account, index) => verdicts[index] ?? isOfVerifyingProvider(account, runtime))
  return areAllPlausible ? accounts : accounts.filter((_, index) => verdicts[index])
}

/**
 * Determines whether the email address of a user is verified, and by which accounts.
 *
 * @module
 */

import type { AdapterAccount, AdapterUser } from "../adapters/adapter.js"
import { isPlainObject } from "../base/merge.js"
import type { User } from "../base/types.js"
import { isSameAddress } from "../security/email-address.js"
import type { AccountRuntime } from "./account-runtime.js"
import type { Identity } from "./identity.js"

/** Returns the address that the provider has verified, or "". The account stores it as `verifiedEmail`. */
export const readProviderVerifiedEmail = ({ isEmailVerified, user: { email } }: Identity): string =>
  isEmailVerified && email ? email : ""

/** Returns the email address of a user if it is verified, else "". */
export function readVerifiedEmail(user: User): string {
  const { email, emailVerified } = user as Partial<AdapterUser>
  return emailVerified && email ? email : ""
}

/**
 * Decodes the claims of a stored id_token. The signature is not verified here, because the token was verified, or
 * received over TLS, before it was stored.
 */
function decodeClaims(idToken: string): Record<string, unknown> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString("utf8"))
    return isPlainObject(claims) ? claims : {}
  } catch {
    return {}
  }
}

/** True if the stored id_token states that the provider has verified the address. */
function isVerifiedByIdToken(
  idToken: string,
  { provider }: AdapterAccount,
  email: string,
  { providers }: Pick<AccountRuntime, "providers">,
): boolean {
  const claims = decodeClaims(idToken)
  if (typeof claims["email"] !== "string" || !isSameAddress(claims["email"], email)) return false
  const { isEmailVerified } = providers.get(provider)?.provider ?? {}
  if (!isEmailVerified) return claims["email_verified"] === true
  try {
    return isEmailVerified(claims)
  } catch {
    // The application's function may expect members of the userinfo response.
    return false
  }
}

/** Returns the address that the provider has verified according to the stored id_token, or "". */
export function readIdTokenVerifiedEmail(account: AdapterAccount, runtime: Pick<AccountRuntime, "providers">): string {
  const { id_token = "" } = account
  const { email } = decodeClaims(id_token)
  return typeof email === "string" && isVerifiedByIdToken(id_token, account, email, runtime) ? email : ""
}

/**
 * True if the account record shows that the provider verified the address. Undefined if the record contains neither
 * `verifiedEmail` nor an id_token.
 */
function isVerifiedByRecord(account: AdapterAccount, email: string, runtime: AccountRuntime): boolean | undefined {
  const { verifiedEmail, id_token } = account
  if (typeof verifiedEmail === "string") return verifiedEmail !== "" && isSameAddress(verifiedEmail, email)
  return typeof id_token === "string" ? isVerifiedByIdToken(id_token, account, email, runtime) : undefined
}

/**
 * True if the provider verifies every address. False if the adapter stores `verifiedEmail`, because the account itself
 * then shows whether the address is verified.
 */
const hasVerifyingProvider = ({ provider }: AdapterAccount, { adapter, providers }: AccountRuntime): boolean =>
  !adapter?.keepsVerifiedEmail && providers.get(provider)?.provider.verifiesEmail === "always"

/**
 * Returns the accounts of a user whose providers have verified the user's address.
 *
 * If an account does not show whether the address was verified, `verifiesEmail` of its provider decides, but only if
 * all accounts of the user are then verified. Otherwise the account may have a different address: a user can sign up
 * with a passkey and any address, and link the account later.
 */
export function verifiedAccounts(
  { email }: AdapterUser,
  accounts: readonly AdapterAccount[],
  runtime: AccountRuntime,
): readonly AdapterAccount[] {
  const results = accounts.map((account) => isVerifiedByRecord(account, email, runtime))
  const areAllVerified = accounts.every((account, index) => results[index] ?? hasVerifyingProvider(account, runtime))
  return areAllVerified ? accounts : accounts.filter((_, index) => results[index])
}

import type { AdapterUser } from "../adapters/adapter.js"
import { isSameAddress } from "../security/email-address.js"
import type { AccountAdapter } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"

/**
 * True if a session was created before the current email address of its user was verified. Such a session may belong to
 * an attacker who registered the address before the owner of the address did.
 *
 * @param verifiedEmail the address that was verified when the session was created, or "" for none. If it is undefined
 *   (unknown), the result is false
 */
export const predatesVerification = (
  { email, emailVerified }: AdapterUser,
  verifiedEmail: string | undefined,
): boolean => Boolean(emailVerified) && verifiedEmail !== undefined && !isSameAddress(verifiedEmail, email)

interface CurrentUserContext {
  readonly adapter: Pick<AccountAdapter, "getUser">
  /** Returns the user id in the browser's session. */
  readonly currentId: () => Promise<string | undefined>
  readonly runtime: AccountRuntime
}

/** Finds the user of the browser's session; null if there is no session, or if the adapter does not have the user. */
export async function currentUser({ adapter, currentId, runtime }: CurrentUserContext): Promise<AdapterUser | null> {
  const id = await currentId()
  if (id === undefined) return null
  try {
    return await adapter.getUser(id)
  } catch (error) {
    // The user id in a database session comes from the same adapter, so it is valid and the adapter has failed.
    if (runtime.config.session.strategy === "database") throw error
  }
  try {
    // A second attempt succeeds after a lost connection, but not for an id that the adapter rejects.
    return await adapter.getUser(id)
  } catch {
    // The session may have been created with another adapter, whose ids have a format that this adapter rejects.
    runtime.logger.warn(
      "unreadable-user-id",
      "the adapter can't look up the user id in a session token, so no user is signed in",
    )
    return null
  }
}

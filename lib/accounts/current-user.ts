import type { AdapterUser } from "../adapters/adapter.js"
import { isSameAddress } from "../security/email-address.js"
import type { AccountAdapter } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"

/**
 * True if a session was created before its user's email address was verified. Such a session may belong to an attacker.
 *
 * @param verifiedEmail the address that was verified when the session was created, "" for none; undefined if unknown
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

/** Finds the user of the browser's session; null if the adapter has no such user. */
export async function currentUser({ adapter, currentId, runtime }: CurrentUserContext): Promise<AdapterUser | null> {
  const id = await currentId()
  if (id === undefined) return null
  try {
    return await adapter.getUser(id)
  } catch (error) {
    // The id of a database session comes from the same adapter, so it is valid and the adapter has failed.
    if (runtime.config.session.strategy === "database") throw error
  }
  try {
    // The retry distinguishes a lost connection from an id that the adapter rejects.
    return await adapter.getUser(id)
  } catch {
    // The session may have been created with another adapter, whose ids have another format than numbers or UUIDs.
    runtime.logger.warn(
      "unreadable-user-id",
      "the adapter can't look up the user id in a session token, so no user is signed in",
    )
    return null
  }
}

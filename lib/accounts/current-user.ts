import type { AdapterUser } from "../adapters/adapter.js"
import type { Runtime } from "../runtime/runtime.js"
import { isSameAddress } from "../security/email-address.js"
import type { AccountAdapter } from "./account-adapter.js"

/**
 * True if a session was created before its user's email address was verified. Such a session may belong to an attacker.
 *
 * @param provenEmail the address that was verified when the session was created, "" for none; undefined if unknown
 */
export const predatesVerification = ({ email, emailVerified }: AdapterUser, provenEmail: string | undefined): boolean =>
  Boolean(emailVerified) && provenEmail !== undefined && !isSameAddress(provenEmail, email)

interface CurrentUserContext {
  readonly adapter: Pick<AccountAdapter, "getUser">
  /** Returns the user id in the browser's session. */
  readonly currentId: () => Promise<string | undefined>
  readonly runtime: Runtime
}

/** Finds the user of the browser's session; null if the adapter has no such user. */
export async function currentUser({ adapter, currentId, runtime }: CurrentUserContext): Promise<AdapterUser | null> {
  const id = await currentId()
  if (id === undefined) return null
  try {
    return await adapter.getUser(id)
  } catch (error) {
    // With database sessions the id is always valid, so this is a failure of the adapter.
    if (runtime.config.session.strategy === "database") throw error
  }
  try {
    // The retry distinguishes a lost connection from an id that the adapter rejects.
    return await adapter.getUser(id)
  } catch {
    // A token may be older than the adapter: its id may be text where this adapter has numbers or UUIDs.
    runtime.logger.warn(
      "unreadable-user-id",
      "the adapter can't look up the user id in a session token, so no user is signed in",
    )
    return null
  }
}

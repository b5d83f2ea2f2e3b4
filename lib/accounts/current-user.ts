import type { AdapterUser } from "../adapters/adapter.js"
import type { Runtime } from "../runtime.js"
import { isSameAddress } from "../security/email-address.js"
import type { AccountStore } from "./store.js"

/**
 * Was a session opened before its user's address was proved? Another person may have opened it then.
 *
 * @param provenEmail the address that was proved when the session was opened, "" for none; undefined if it is not known
 */
export const isFromBeforeProof = ({ email, emailVerified }: AdapterUser, provenEmail: string | undefined): boolean =>
  Boolean(emailVerified) && provenEmail !== undefined && !isSameAddress(provenEmail, email)

interface Context {
  readonly store: Pick<AccountStore, "getUser">
  /** The id in the browser's session. */
  readonly currentId: () => Promise<string | undefined>
  readonly runtime: Runtime
}

/** The user of the browser's session; null if the store has no such user. */
export async function currentUser({ store, currentId, runtime }: Context): Promise<AdapterUser | null> {
  const id = await currentId()
  if (id === undefined) return null
  try {
    return await store.getUser(id)
  } catch (error) {
    // Its own id: the store is in trouble.
    if (runtime.config.session.strategy === "database") throw error
  }
  try {
    // A connection is not lost twice.
    return await store.getUser(id)
  } catch {
    // A token outlives a change of stores: its id may be text where this one keeps numbers or UUIDs.
    runtime.logger.warn("unreadable-user-id", "the store can't look up the id in a session token; nobody is signed in")
    return null
  }
}

import type { Adapter, AdapterAuthenticator, AdapterUser } from "../../adapters/adapter.js"
import type { Runtime } from "../../runtime.js"

type Needed =
  | "getUser"
  | "getUserByEmail"
  | "getUserByAccount"
  | "getAccount"
  | "getAuthenticator"
  | "createAuthenticator"
  | "listAuthenticatorsByUserId"
  | "updateAuthenticatorCounter"

/** The store as passkeys need it; that the adapter has these methods is checked with the configuration. */
export type PasskeyStore = Required<Pick<Adapter, Needed>> & Adapter

export const passkeyStore = ({ adapter }: Pick<Runtime, "adapter">): PasskeyStore => adapter as PasskeyStore

/** The passkeys of a user, each once: a store may have a record for every time that it counted. */
export async function passkeysOf(
  { id }: Pick<AdapterUser, "id">,
  runtime: Pick<Runtime, "adapter">,
): Promise<AdapterAuthenticator[]> {
  const records = await passkeyStore(runtime).listAuthenticatorsByUserId(id)
  return [...new Map(records.map((record) => [record.credentialID, record])).values()]
}

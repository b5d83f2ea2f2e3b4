import type { Adapter, AdapterAuthenticator, AdapterUser } from "../../adapters/adapter.js"
import type { MethodRuntime } from "../method.js"

type RequiredMethod =
  | "getUser"
  | "getUserByEmail"
  | "getUserByAccount"
  | "getAccount"
  | "getAuthenticator"
  | "createAuthenticator"
  | "listAuthenticatorsByUserId"
  | "updateAuthenticatorCounter"

/** An adapter with the methods that passkeys need. The configuration check ensures that they exist. */
export type PasskeyAdapter = Required<Pick<Adapter, RequiredMethod>> & Adapter

export const passkeyAdapter = ({ adapter }: Pick<MethodRuntime, "adapter">): PasskeyAdapter => adapter as PasskeyAdapter

/** Lists the passkeys of a user without duplicates, because some adapters keep a record of every counter update. */
export async function listUserPasskeys(
  { id }: Pick<AdapterUser, "id">,
  runtime: Pick<MethodRuntime, "adapter">,
): Promise<AdapterAuthenticator[]> {
  const records = await passkeyAdapter(runtime).listAuthenticatorsByUserId(id)
  return [...new Map(records.map((record) => [record.credentialID, record])).values()]
}

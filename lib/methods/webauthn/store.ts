import type { Adapter } from "../../adapters/adapter.js"
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

export const passkeyStore = ({ adapter }: Runtime): PasskeyStore => adapter as PasskeyStore

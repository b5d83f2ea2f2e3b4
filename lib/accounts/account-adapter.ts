import type { Adapter } from "../adapters/adapter.js"
import type { Account } from "../base/types.js"
import type { AccountRuntime } from "./account-runtime.js"

/** An adapter with the methods that accounts need. The configuration check ensures at start-up that they exist. */
export type AccountAdapter = Required<
  Pick<Adapter, "createUser" | "getUser" | "getUserByAccount" | "getUserByEmail" | "linkAccount" | "updateUser">
> &
  Adapter

/** Returns where an account is stored, see `AccountNeeds.account`. */
export const accountStorage = ({ type }: Pick<Account, "type">, { methods }: Pick<AccountRuntime, "methods">) =>
  methods[type]?.needs.account ?? "linked"

/** Narrows the type of an adapter that the configuration check has accepted. */
export const accountAdapter = (adapter: Adapter): AccountAdapter => adapter as AccountAdapter

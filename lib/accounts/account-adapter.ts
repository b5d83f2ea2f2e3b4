import type { Adapter } from "../adapters/adapter.js"
import type { Account } from "../base/types.js"
import type { AccountRuntime } from "./account-runtime.js"

/** An adapter with the methods that accounts need. The configuration check at start-up ensures that they exist. */
export type AccountAdapter = Required<
  Pick<Adapter, "createUser" | "getUser" | "getUserByAccount" | "getUserByEmail" | "linkAccount" | "updateUser">
> &
  Adapter

/** Where an account is: linked in the adapter, the user's email address, or known to the application only. */
export const accountKind = ({ type }: Pick<Account, "type">, { methods }: Pick<AccountRuntime, "methods">) =>
  methods[type]?.needs.account ?? "linked"

export const accountAdapter = (adapter: Adapter): AccountAdapter => adapter as AccountAdapter

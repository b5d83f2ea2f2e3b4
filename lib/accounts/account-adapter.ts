import type { Adapter } from "../adapters/adapter.js"

/** An adapter with the methods that accounts need. The configuration check at start-up ensures that they exist. */
export type AccountAdapter = Required<
  Pick<Adapter, "createUser" | "getUser" | "getUserByAccount" | "getUserByEmail" | "linkAccount" | "updateUser">
> &
  Adapter

export const accountAdapter = (adapter: Adapter): AccountAdapter => adapter as AccountAdapter

import type { Adapter } from "../adapters/adapter.js"

/** The store as accounts need it; what a configuration requires of it is checked at start-up. */
export type AccountStore = Required<
  Pick<Adapter, "createUser" | "getUser" | "getUserByAccount" | "getUserByEmail" | "linkAccount" | "updateUser">
> &
  Adapter

export const accountStore = (adapter: Adapter): AccountStore => adapter as AccountStore

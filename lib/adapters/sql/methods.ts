import type { OwnAdapter } from "../adapter.js"
import { ADAPTER_METHODS } from "../bind.js"
import { accountMethods } from "./accounts.js"
import { authenticatorMethods } from "./authenticators.js"
import { linkMethods } from "./links.js"
import type { OwnColumns } from "./own-columns.js"
import { sessionMethods } from "./sessions.js"
import type { SqlConnection } from "./tables.js"
import { userMethods } from "./users.js"

/** All methods of the adapter interface except `transaction`. */
export type SqlMethods = Omit<OwnAdapter, "transaction" | "store" | "migrate" | "deleteExpired" | "close">

/** The methods on one connection. */
export const createSqlMethods = (connection: SqlConnection, ownColumns: OwnColumns): SqlMethods => ({
  ...userMethods(connection, ownColumns),
  ...accountMethods(connection),
  ...sessionMethods(connection),
  ...linkMethods(connection),
  ...authenticatorMethods(connection),
  keepsVerifiedEmail: true,
})

type Call = (methods: SqlMethods) => Promise<unknown>

/** Methods whose calls `through` forwards to the methods that it chooses. */
export function delegateAll(through: (call: Call) => Promise<unknown>): SqlMethods {
  const methods = ADAPTER_METHODS.map((name) => {
    const method = (...parameters: unknown[]) =>
      through(async (chosen) => Reflect.apply(Reflect.get(chosen, name), chosen, parameters))
    return [name, method] as const
  })
  // Each method has the type of the method that it calls.
  return { ...Object.fromEntries(methods), keepsVerifiedEmail: true } as unknown as SqlMethods
}

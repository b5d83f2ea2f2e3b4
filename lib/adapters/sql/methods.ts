import type { BuiltInAdapter } from "../adapter.js"
import { ADAPTER_METHODS } from "../bind.js"
import { accountMethods } from "./accounts.js"
import { authenticatorMethods } from "./authenticators.js"
import { linkMethods } from "./links.js"
import { sessionMethods } from "./sessions.js"
import type { SqlConnection } from "./tables.js"
import type { ReadUserColumns } from "./user-columns.js"
import { userMethods } from "./users.js"

/** All methods of the adapter interface except `transaction`. */
export type SqlMethods = Omit<BuiltInAdapter, "transaction" | "store" | "migrate" | "deleteExpired" | "close">

/** Creates the adapter methods that run on this connection. */
export const createSqlMethods = (connection: SqlConnection, readUserColumns: ReadUserColumns): SqlMethods => ({
  ...userMethods(connection, readUserColumns),
  ...accountMethods(connection),
  ...sessionMethods(connection),
  ...linkMethods(connection),
  ...authenticatorMethods(connection),
  keepsVerifiedEmail: true,
})

type Call = (methods: SqlMethods) => Promise<unknown>

/**
 * Returns methods that pass each call to `dispatch`, which chooses a connection and runs the call with the methods of
 * this connection.
 */
export function delegateAll(dispatch: (call: Call) => Promise<unknown>): SqlMethods {
  const methods = ADAPTER_METHODS.map((name) => {
    const method = (...parameters: unknown[]) =>
      dispatch(async (target) => Reflect.apply(Reflect.get(target, name), target, parameters))
    return [name, method] as const
  })
  // Each method has the type of the method of the same name that it calls.
  return { ...Object.fromEntries(methods), keepsVerifiedEmail: true } as unknown as SqlMethods
}

import type { OwnAdapter } from "../adapter.js"
import { ADAPTER_METHODS } from "../bind.js"
import { Accounts } from "./accounts.js"
import { Authenticators } from "./authenticators.js"
import { Links } from "./links.js"
import type { OwnColumns } from "./own-columns.js"
import { Sessions } from "./sessions.js"
import type { SqlConnection } from "./tables.js"
import { Users } from "./users.js"

/** All methods of the adapter interface except `transaction`. */
export type SqlMethods = Omit<OwnAdapter, "transaction" | "store" | "migrate" | "deleteExpired" | "close">

/** The methods on one connection. */
export function createSqlMethods(connection: SqlConnection, ownColumns: OwnColumns): SqlMethods {
  const parts: readonly object[] = [
    new Users(connection, ownColumns),
    new Accounts(connection),
    new Sessions(connection),
    new Links(connection),
    new Authenticators(connection),
  ]
  return eachMethod((name) => {
    const part = parts.find((candidate) => name in candidate)
    return (...parameters) => Reflect.apply(Reflect.get(Object(part), name), part, parameters)
  })
}

type Call = (methods: SqlMethods) => Promise<unknown>

/** Methods whose calls `through` forwards to the methods that it chooses. */
export const delegateAll = (through: (call: Call) => Promise<unknown>): SqlMethods =>
  eachMethod(
    (name) =>
      (...parameters) =>
        through(async (chosen) => Reflect.apply(Reflect.get(chosen, name), chosen, parameters)),
  )

type Method = (...parameters: unknown[]) => Promise<unknown>

const eachMethod = (create: (name: string) => Method): SqlMethods =>
  // Each method has the type of the method that it calls.
  ({
    ...Object.fromEntries(ADAPTER_METHODS.map((name) => [name, create(name)])),
    keepsVerifiedEmail: true,
  }) as unknown as SqlMethods

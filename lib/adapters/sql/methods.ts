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
export type StoreMethods = Omit<OwnAdapter, "transaction" | "store" | "migrate" | "deleteExpired" | "close">

/** The methods on one store. */
export function storeMethods(store: SqlConnection, ownColumns: OwnColumns): StoreMethods {
  const parts: readonly object[] = [
    new Users(store, ownColumns),
    new Accounts(store),
    new Sessions(store),
    new Links(store),
    new Authenticators(store),
  ]
  return eachMethod((name) => {
    const part = parts.find((candidate) => name in candidate)
    return (...parameters) => Reflect.apply(Reflect.get(Object(part), name), part, parameters)
  })
}

type Call = (methods: StoreMethods) => Promise<unknown>

/** Methods whose calls `through` forwards to the methods that it chooses. */
export const delegateAll = (through: (call: Call) => Promise<unknown>): StoreMethods =>
  eachMethod(
    (name) =>
      (...parameters) =>
        through(async (chosen) => Reflect.apply(Reflect.get(chosen, name), chosen, parameters)),
  )

type Method = (...parameters: unknown[]) => Promise<unknown>

const eachMethod = (create: (name: string) => Method): StoreMethods =>
  // Each method has the type of the method that it calls.
  ({
    ...Object.fromEntries(ADAPTER_METHODS.map((name) => [name, create(name)])),
    keepsVerifiedEmail: true,
  }) as unknown as StoreMethods

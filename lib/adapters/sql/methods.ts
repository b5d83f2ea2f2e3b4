import type { OwnAdapter } from "../adapter.js"
import { accountMethods } from "./accounts.js"
import { authenticatorMethods } from "./authenticators.js"
import { linkMethods } from "./links.js"
import type { OwnColumns } from "./own-columns.js"
import { sessionMethods } from "./sessions.js"
import type { Store } from "./store.js"
import { userMethods } from "./users.js"

/** Every method of the adapter interface but `transaction`. */
export type StoreMethods = Omit<OwnAdapter, "transaction" | "migrate" | "sweep" | "close">

/** The methods on one store. */
export const storeMethods = (store: Store, ownColumns: OwnColumns): StoreMethods => ({
  ...userMethods(store, ownColumns),
  ...accountMethods(store),
  ...sessionMethods(store),
  ...linkMethods(store),
  ...authenticatorMethods(store),
})

type Call = (methods: StoreMethods) => Promise<unknown>

/** The same methods, each of whose calls is made by `through`, on methods of its choice. */
export function throughEach(methods: StoreMethods, through: (call: Call) => Promise<unknown>): StoreMethods {
  const wrapped = Object.keys(methods).map((name) => {
    const method = async (...parameters: unknown[]) =>
      through(async (chosen) => Reflect.apply(Reflect.get(chosen, name), chosen, parameters))
    return [name, method] as const
  })
  // Each method has the type of the one that it calls.
  return Object.fromEntries(wrapped) as unknown as StoreMethods
}

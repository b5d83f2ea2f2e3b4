import { AdapterError } from "../errors/errors.js"
import type { Logger } from "../logging/logger.js"
import { printable } from "../logging/redact.js"
import { copyError } from "../security/copy-error.js"
import type { Store } from "./store.js"

/**
 * Wraps the application's store in an object whose failures are `AdapterError`s with the name of the operation. A
 * driver's error can contain values, so the cause is a copy without its members.
 */
export function bindStore(store: Store, logger: Logger): Store {
  async function call<T>(name: keyof Store, operation: () => Promise<T>): Promise<T> {
    logger.debug("adapter", `store_${name}`)
    try {
      return await operation()
    } catch (error) {
      throw new AdapterError(`store.${name} failed`, { err: copyError(error, printable), method: `store.${name}` })
    }
  }
  return {
    get durable() {
      return store.durable
    },
    get: (kind, key) => call("get", () => store.get(kind, key)),
    set: (kind, key, record) => call("set", () => store.set(kind, key, record)),
    delete: (kind, key, ifVersion) => call("delete", () => store.delete(kind, key, ifVersion)),
    list: (kind, owner, page) => call("list", () => store.list(kind, owner, page)),
    increment: (kind, key, window) => call("increment", () => store.increment(kind, key, window)),
  }
}

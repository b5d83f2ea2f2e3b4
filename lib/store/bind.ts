import { AdapterError } from "../errors/errors.js"
import type { Logger } from "../logging/logger.js"
import { sanitizeFailure } from "../security/sanitize-error.js"
import type { Store } from "./store.js"

/**
 * Wraps the application's store in a store that logs each operation and throws an `AdapterError` with the name of the
 * failed operation. A driver's error can contain stored values, so the `err` of the `AdapterError` is a copy without
 * the message and without members that may contain values.
 */
export function bindStore(store: Store, logger: Logger): Store {
  async function call<T>(name: keyof Store, args: readonly unknown[], operation: () => Promise<T>): Promise<T> {
    logger.debug("adapter", `store_${name}`)
    try {
      return await operation()
    } catch (error) {
      const { err, message } = sanitizeFailure(error, args)
      logger.debug("adapter", `store_${name} failed: ${message}`)
      throw new AdapterError(`store.${name} failed`, { err, method: `store.${name}` })
    }
  }
  return {
    get durable() {
      return store.durable
    },
    get: (kind, key) => call("get", [kind, key], () => store.get(kind, key)),
    set: (kind, key, record) => call("set", [kind, key, record], () => store.set(kind, key, record)),
    delete: (kind, key, ifVersion) => call("delete", [kind, key, ifVersion], () => store.delete(kind, key, ifVersion)),
    list: (kind, owner, page) => call("list", [kind, owner, page], () => store.list(kind, owner, page)),
    increment: (kind, key, window) => call("increment", [kind, key, window], () => store.increment(kind, key, window)),
  }
}

import { AdapterError, asError } from "../errors.js"
import type { Logger } from "../logger.js"
import type { Adapter, AdapterMethod } from "./adapter.js"

/** Every method that an adapter may have. */
export const ADAPTER_METHODS: readonly AdapterMethod[] = [
  "createUser",
  "getUser",
  "getUserByEmail",
  "getUserByAccount",
  "updateUser",
  "deleteUser",
  "linkAccount",
  "unlinkAccount",
  "createSession",
  "getSessionAndUser",
  "updateSession",
  "deleteSession",
  "createVerificationToken",
  "useVerificationToken",
  "getAccount",
  "getAuthenticator",
  "createAuthenticator",
  "listAuthenticatorsByUserId",
  "updateAuthenticatorCounter",
  "deleteVerificationTokens",
  "claimOnce",
  "listAccountsByUserId",
  "deleteSessionsByUserId",
  "renameAuthenticator",
  "deleteAuthenticator",
]

const failure = (name: AdapterMethod, error: unknown): AdapterError =>
  error instanceof AdapterError
    ? error
    : new AdapterError(`adapter.${name} failed`, { err: asError(error), method: name })

/**
 * The application's adapter as a new object whose methods keep their `this` (an adapter may be a class) and throw
 * an `AdapterError` that names the method.
 */
export function bindAdapter(adapter: Adapter, logger: Logger): Adapter {
  const bound = ADAPTER_METHODS.flatMap((name) => {
    const method: unknown = adapter[name]
    if (typeof method !== "function") return []
    const call = async (...args: unknown[]): Promise<unknown> => {
      logger.debug("adapter", `adapter_${name}`, { arguments: args.length })
      try {
        return await method.apply(adapter, args)
      } catch (error) {
        throw failure(name, error)
      }
    }
    return [[name, call] as const]
  })
  // Each method has the type of the one that it calls.
  return { ...Object.fromEntries(bound), ...(adapter.transaction && { transaction: bindTransaction(adapter, logger) }) }
}

/** What fails within is the work's own error; beginning and committing are the adapter's. */
const bindTransaction =
  (adapter: Adapter, logger: Logger): NonNullable<Adapter["transaction"]> =>
  async (work) => {
    let inner: { readonly error: unknown } | undefined
    try {
      // Only an adapter that has one gets here.
      return await (adapter as Required<Adapter>).transaction(async (within) => {
        try {
          return await work(bindAdapter(within, logger))
        } catch (error) {
          inner = { error }
          throw error
        }
      })
    } catch (error) {
      throw inner ? inner.error : failure("transaction", error)
    }
  }

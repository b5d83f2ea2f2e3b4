import { AdapterError, isError } from "../errors.js"
import type { Logger } from "../logger.js"
import type { Adapter, AdapterMethod } from "./adapter.js"
import { type Call, plainFailure } from "./plain-failure.js"

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

/** What the driver threw has tokens on it: behind ours stands a copy without them. */
const failure = (name: AdapterMethod, error: unknown, calls: readonly Call[]): AdapterError =>
  isError(error) && error instanceof AdapterError
    ? error
    : new AdapterError(`adapter.${name} failed`, { err: plainFailure(error, calls), method: name })

/**
 * The application's adapter as a new object whose methods keep their `this` (an adapter may be a class) and throw
 * an `AdapterError` that names the method. In a transaction the calls are remembered: it may send them all at its end.
 */
export function bindAdapter(adapter: Adapter, logger: Logger, earlier?: Call[]): Adapter {
  const bound = ADAPTER_METHODS.flatMap((name) => {
    const method: unknown = adapter[name]
    if (typeof method !== "function") return []
    const call = async (...args: unknown[]): Promise<unknown> => {
      const made: Call = { name, args }
      logger.debug("adapter", `adapter_${name}`, { arguments: args.length })
      earlier?.push(made)
      try {
        return await method.apply(adapter, args)
      } catch (error) {
        throw failure(name, error, earlier ?? [made])
      }
    }
    return [[name, call] as const]
  })
  // Each method has the type of the one that it calls.
  const transaction = adapter.transaction && bindTransaction(adapter, logger, earlier)
  return { ...Object.fromEntries(bound), ...(transaction && { transaction }) }
}

/** What fails within is the work's own error; beginning and committing are the adapter's. */
const bindTransaction =
  (adapter: Adapter, logger: Logger, earlier: Call[] | undefined): NonNullable<Adapter["transaction"]> =>
  async (work) => {
    const calls = earlier ?? []
    let inner: { readonly error: unknown } | undefined
    try {
      // Only an adapter that has one gets here.
      return await (adapter as Required<Adapter>).transaction(async (within) => {
        try {
          return await work(bindAdapter(within, logger, calls))
        } catch (error) {
          inner = { error }
          throw error
        }
      })
    } catch (error) {
      throw inner ? inner.error : failure("transaction", error, calls)
    }
  }

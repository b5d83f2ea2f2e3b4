import { AdapterError, type ErrorDetails, isError } from "../errors/errors.js"
import type { Logger } from "../logging/logger.js"
import { isSameAddress } from "../security/email-address.js"
import { sanitizeFailure } from "../security/sanitize-error.js"
import type { Adapter, AdapterMethod } from "./adapter.js"

/** The names of all adapter methods except `transaction`. */
export const ADAPTER_METHODS: readonly AdapterMethod[] = [
  "createUser",
  "getUser",
  "getUserByEmail",
  "getUserByAccount",
  "updateUser",
  "lockUser",
  "deleteUser",
  "linkAccount",
  "unlinkAccount",
  "updateAccount",
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
  "listAccountsByUserId",
  "deleteSessionsByUserId",
  "renameAuthenticator",
  "deleteAuthenticator",
]

/** The methods that the configuration check requires for `session.strategy: "database"`. */
export const DATABASE_SESSION_METHODS: readonly AdapterMethod[] = [
  "createUser",
  "getUser",
  "getUserByEmail",
  "getUserByAccount",
  "updateUser",
  "linkAccount",
  "createSession",
  "getSessionAndUser",
  "updateSession",
  "deleteSession",
]

/**
 * Creates the `AdapterError` for a failed call, and writes the masked message of the driver's error to the debug log.
 * An `AdapterError` is returned unchanged.
 *
 * The driver's error may contain arguments of the call, for example tokens. So the cause of the `AdapterError` is a
 * copy of the driver's error without the message and without members that may contain arguments.
 */
function createFailure(name: AdapterMethod, error: unknown, args: readonly unknown[], logger: Logger): AdapterError {
  if (isError(error) && error instanceof AdapterError) return error
  const { err, message } = sanitizeFailure(error, args)
  logger.debug("adapter", `adapter_${name} failed: ${message}`)
  return new AdapterError(`adapter.${name} failed`, { err, method: name }, readDetails(error))
}

/**
 * Returns the message code `schema-outdated` if the error has it, otherwise an empty object. `SqlAdapter` sets this
 * code on an error about missing tables or columns.
 */
const readDetails = (error: unknown): ErrorDetails =>
  isError(error) && Reflect.get(error, "messageCode") === "schema-outdated" ? { messageCode: "schema-outdated" } : {}

const LOOK_ALIKE_WARNING =
  "adapter.getUserByEmail returned a user with a different email address, so the user is treated as not found. Compare addresses exactly; in MySQL, give the column a binary collation, for example utf8mb4_bin"

/**
 * Returns the found user, or null if the user's address differs from the requested address. With some collations, a
 * database finds the user "adá@…" for the address "ada@…", so that the owner of "ada@…" would sign in as another user.
 * A user without `email` is accepted, because some adapters omit it.
 */
function rejectLookAlike(found: unknown, requested: unknown, warn: () => void): unknown {
  const email: unknown = Reflect.get(Object(found), "email")
  if (typeof email !== "string" || isSameAddress(email, String(requested))) return found
  warn()
  return null
}

/** Returns a function that logs the warning about look-alike addresses, but only at its first call. */
function createLookAlikeWarning(logger: Logger): () => void {
  let isWarned = false
  return () => {
    if (!isWarned) logger.warn("look-alike-address", LOOK_ALIKE_WARNING)
    isWarned = true
  }
}

/** The state of a bound adapter. The bound adapters of its transactions share `warnLookAlike`, to warn only once. */
interface Binding {
  /** The arguments of all calls in the transaction so far; undefined outside of a transaction. */
  readonly transactionArgs?: unknown[] | undefined
  readonly warnLookAlike: () => void
}

/**
 * Returns an adapter that forwards each call to the application's adapter. An error becomes an `AdapterError` with the
 * name of the method, and without the arguments of the call. In a transaction, the arguments of all calls are recorded
 * and removed from each error: some adapters execute all calls at the end, so an error may contain arguments of any
 * call.
 */
export function bindAdapter(adapter: Adapter, logger: Logger, binding?: Binding): Adapter {
  const { transactionArgs, warnLookAlike } = binding ?? { warnLookAlike: createLookAlikeWarning(logger) }
  const bound = ADAPTER_METHODS.flatMap((name) => {
    const method: unknown = adapter[name]
    if (typeof method !== "function") return []
    const boundMethod = async (...args: unknown[]): Promise<unknown> => {
      logger.debug("adapter", `adapter_${name}`, { arguments: args.length })
      transactionArgs?.push(...args)
      try {
        // The adapter may be a class instance whose methods use `this`.
        const result: unknown = await method.apply(adapter, args)
        return name === "getUserByEmail" ? rejectLookAlike(result, args[0], warnLookAlike) : result
      } catch (error) {
        throw createFailure(name, error, transactionArgs ?? args, logger)
      }
    }
    return [[name, boundMethod] as const]
  })
  const transaction = adapter.transaction && bindTransaction(adapter, logger, { transactionArgs, warnLookAlike })
  return {
    // Each bound method has the type of the method that it calls.
    ...Object.fromEntries(bound),
    ...(transaction && { transaction }),
    ...(adapter.keepsVerifiedEmail && { keepsVerifiedEmail: true }),
  }
}

/**
 * Returns the bound `transaction` method. It throws an error of `work` unchanged. If the transaction itself can't begin
 * or commit, it throws an `AdapterError`.
 */
const bindTransaction =
  (
    adapter: Adapter,
    logger: Logger,
    { transactionArgs: outerArgs, warnLookAlike }: Binding,
  ): NonNullable<Adapter["transaction"]> =>
  async (work) => {
    const transactionArgs = outerArgs ?? []
    let workError: { readonly error: unknown } | undefined
    try {
      // `bindAdapter` calls this function only for an adapter with `transaction`.
      return await (adapter as Required<Adapter>).transaction(async (transactionAdapter) => {
        try {
          return await work(bindAdapter(transactionAdapter, logger, { transactionArgs, warnLookAlike }))
        } catch (error) {
          workError = { error }
          throw error
        }
      })
    } catch (error) {
      throw workError ? workError.error : createFailure("transaction", error, transactionArgs, logger)
    }
  }

import { AdapterError, type ErrorDetails, isError } from "../errors/errors.js"
import type { Logger } from "../logging/logger.js"
import { isSameAddress } from "../security/email-address.js"
import { sanitizeFailure } from "../security/sanitize-error.js"
import type { Adapter, AdapterMethod } from "./adapter.js"

/** All adapter methods. */
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

/** The methods that database sessions need. */
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

/** Creates the error for a failed call with these arguments. A driver's error can contain them, so the cause is a copy. */
function createFailure(name: AdapterMethod, error: unknown, args: readonly unknown[], logger: Logger): AdapterError {
  if (isError(error) && error instanceof AdapterError) return error
  const { err, message } = sanitizeFailure(error, args)
  logger.debug("adapter", `adapter_${name} failed: ${message}`)
  return new AdapterError(`adapter.${name} failed`, { err, method: name }, readDetails(error))
}

/** The built-in adapters mark the error of an outdated schema. */
const readDetails = (error: unknown): ErrorDetails =>
  isError(error) && Reflect.get(error, "messageCode") === "schema-outdated" ? { messageCode: "schema-outdated" } : {}

const LOOK_ALIKE =
  "adapter.getUserByEmail returned a user with another address, which is treated as not found. Compare addresses exactly; in MySQL the column needs a binary collation, for example utf8mb4_bin"

/**
 * Depending on its collation, a database can find "adá@…" for "ada@…", so that the owner of one mailbox signs in as
 * another user. A user without a readable address is accepted, because some adapters omit it.
 */
function rejectLookAlike(found: unknown, requested: unknown, warn: () => void): unknown {
  const email: unknown = Reflect.get(Object(found), "email")
  if (typeof email !== "string" || isSameAddress(email, String(requested))) return found
  warn()
  return null
}

function lookAlikeWarning(logger: Logger): () => void {
  let isWarned = false
  return () => {
    if (!isWarned) logger.warn("look-alike-address", LOOK_ALIKE)
    isWarned = true
  }
}

/** State shared by an adapter and its transaction adapters. */
interface Binding {
  /** The arguments of all calls in the transaction. */
  readonly transactionArgs?: unknown[] | undefined
  readonly warnOnce: () => void
}

/**
 * Wraps the application's adapter in a new object. The adapter can be a class instance, so its methods are called on it.
 * Their errors become an `AdapterError` with the method's name. In a transaction the arguments of all calls are
 * recorded, because an adapter may execute them only at the end, and its error may contain any of them.
 */
export function bindAdapter(adapter: Adapter, logger: Logger, binding?: Binding): Adapter {
  const { transactionArgs, warnOnce } = binding ?? { warnOnce: lookAlikeWarning(logger) }
  const bound = ADAPTER_METHODS.flatMap((name) => {
    const method: unknown = adapter[name]
    if (typeof method !== "function") return []
    const call = async (...args: unknown[]): Promise<unknown> => {
      logger.debug("adapter", `adapter_${name}`, { arguments: args.length })
      transactionArgs?.push(...args)
      try {
        const result: unknown = await method.apply(adapter, args)
        return name === "getUserByEmail" ? rejectLookAlike(result, args[0], warnOnce) : result
      } catch (error) {
        throw createFailure(name, error, transactionArgs ?? args, logger)
      }
    }
    return [[name, call] as const]
  })
  // Each method has the type of the method that it calls.
  const transaction = adapter.transaction && bindTransaction(adapter, logger, { transactionArgs, warnOnce })
  return {
    ...Object.fromEntries(bound),
    ...(transaction && { transaction }),
    ...(adapter.keepsVerifiedEmail && { keepsVerifiedEmail: true }),
  }
}

/** Throws an error of the work unchanged. Errors of begin and commit become an `AdapterError`. */
const bindTransaction =
  (
    adapter: Adapter,
    logger: Logger,
    { transactionArgs: outerArgs, warnOnce }: Binding,
  ): NonNullable<Adapter["transaction"]> =>
  async (work) => {
    const transactionArgs = outerArgs ?? []
    let workError: { readonly error: unknown } | undefined
    try {
      // Only an adapter with transactions gets here.
      return await (adapter as Required<Adapter>).transaction(async (transactionAdapter) => {
        try {
          return await work(bindAdapter(transactionAdapter, logger, { transactionArgs, warnOnce }))
        } catch (error) {
          workError = { error }
          throw error
        }
      })
    } catch (error) {
      throw workError ? workError.error : createFailure("transaction", error, transactionArgs, logger)
    }
  }

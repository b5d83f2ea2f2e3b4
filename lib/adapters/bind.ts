import { AdapterError, isError } from "../errors/errors.js"
import type { Logger } from "../logging/logger.js"
import { isSameAddress } from "../security/email-address.js"
import type { Adapter, AdapterMethod } from "./adapter.js"
import { type Call, sanitizeError } from "./sanitize-error.js"

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

/** A driver's error can contain tokens, so the cause is a copy without them. */
const failure = (name: AdapterMethod, error: unknown, calls: readonly Call[]): AdapterError =>
  isError(error) && error instanceof AdapterError
    ? error
    : new AdapterError(`adapter.${name} failed`, { err: sanitizeError(error, calls), method: name })

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
  /** The pending calls of the transaction. */
  readonly calls?: Call[] | undefined
  readonly warnOnce: () => void
}

/**
 * Wraps the application's adapter in a new object. The adapter can be a class instance, so its methods are called on it.
 * Their errors become an `AdapterError` with the method's name. In a transaction the calls are recorded, because an
 * adapter may execute them only at the end, and the error must be attributed to one of them.
 */
export function bindAdapter(adapter: Adapter, logger: Logger, binding?: Binding): Adapter {
  const { calls: transactionCalls, warnOnce } = binding ?? { warnOnce: lookAlikeWarning(logger) }
  const bound = ADAPTER_METHODS.flatMap((name) => {
    const method: unknown = adapter[name]
    if (typeof method !== "function") return []
    const call = async (...args: unknown[]): Promise<unknown> => {
      const current: Call = { name, args }
      logger.debug("adapter", `adapter_${name}`, { arguments: args.length })
      transactionCalls?.push(current)
      try {
        const result: unknown = await method.apply(adapter, args)
        return name === "getUserByEmail" ? rejectLookAlike(result, args[0], warnOnce) : result
      } catch (error) {
        throw failure(name, error, transactionCalls ?? [current])
      }
    }
    return [[name, call] as const]
  })
  // Each method has the type of the method that it calls.
  const transaction = adapter.transaction && bindTransaction(adapter, logger, { calls: transactionCalls, warnOnce })
  return {
    ...Object.fromEntries(bound),
    ...(transaction && { transaction }),
    ...(adapter.keepsVerifiedEmail && { keepsVerifiedEmail: true }),
  }
}

/** Throws an error of the work unchanged. Errors of begin and commit become an `AdapterError`. */
const bindTransaction =
  (adapter: Adapter, logger: Logger, { calls: outerCalls, warnOnce }: Binding): NonNullable<Adapter["transaction"]> =>
  async (work) => {
    const calls = outerCalls ?? []
    let workError: { readonly error: unknown } | undefined
    try {
      // Only an adapter with transactions gets here.
      return await (adapter as Required<Adapter>).transaction(async (transactionAdapter) => {
        try {
          return await work(bindAdapter(transactionAdapter, logger, { calls, warnOnce }))
        } catch (error) {
          workError = { error }
          throw error
        }
      })
    } catch (error) {
      throw workError ? workError.error : failure("transaction", error, calls)
    }
  }

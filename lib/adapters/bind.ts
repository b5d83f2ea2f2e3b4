import { AdapterError, isError } from "../errors.js"
import type { Logger } from "../logger.js"
import { isSameAddress } from "../security/email-address.js"
import type { Adapter, AdapterMethod } from "./adapter.js"
import { type Call, plainFailure } from "./plain-failure.js"

/** Every method that an adapter may have. */
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

const LOOK_ALIKE =
  "adapter.getUserByEmail returned a user with another address, which is treated as not found. Compare addresses exactly; in MySQL the column needs a binary collation, for example utf8mb4_bin"

/**
 * A database may find "adá@…" for "ada@…", depending on its collation: the owner of one mailbox would sign in as the
 * user of another. A user without a readable address is passed on, because some stores leave it out.
 */
function onlyOfAddress(found: unknown, asked: unknown, warn: () => void): unknown {
  const email: unknown = Reflect.get(Object(found), "email")
  if (typeof email !== "string" || isSameAddress(email, String(asked))) return found
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

/** What an adapter shares with those of its transactions. */
interface Binding {
  /** The calls of the transaction so far. */
  readonly calls?: Call[] | undefined
  readonly warnOnce: () => void
}

/**
 * The application's adapter as a new object whose methods keep their `this` (an adapter may be a class) and throw
 * an `AdapterError` that names the method. In a transaction the calls are remembered: it may send them all at its end.
 */
export function bindAdapter(adapter: Adapter, logger: Logger, within?: Binding): Adapter {
  const { calls: earlier, warnOnce } = within ?? { warnOnce: lookAlikeWarning(logger) }
  const bound = ADAPTER_METHODS.flatMap((name) => {
    const method: unknown = adapter[name]
    if (typeof method !== "function") return []
    const call = async (...args: unknown[]): Promise<unknown> => {
      const made: Call = { name, args }
      logger.debug("adapter", `adapter_${name}`, { arguments: args.length })
      earlier?.push(made)
      try {
        const result: unknown = await method.apply(adapter, args)
        return name === "getUserByEmail" ? onlyOfAddress(result, args[0], warnOnce) : result
      } catch (error) {
        throw failure(name, error, earlier ?? [made])
      }
    }
    return [[name, call] as const]
  })
  // Each method has the type of the one that it calls.
  const transaction = adapter.transaction && bindTransaction(adapter, logger, { calls: earlier, warnOnce })
  return {
    ...Object.fromEntries(bound),
    ...(transaction && { transaction }),
    ...(adapter.keepsProvenEmail && { keepsProvenEmail: true }),
  }
}

/** What fails within is the work's own error; beginning and committing are the adapter's. */
const bindTransaction =
  (adapter: Adapter, logger: Logger, { calls: earlier, warnOnce }: Binding): NonNullable<Adapter["transaction"]> =>
  async (work) => {
    const calls = earlier ?? []
    let inner: { readonly error: unknown } | undefined
    try {
      // Only an adapter that has one gets here.
      return await (adapter as Required<Adapter>).transaction(async (within) => {
        try {
          return await work(bindAdapter(within, logger, { calls, warnOnce }))
        } catch (error) {
          inner = { error }
          throw error
        }
      })
    } catch (error) {
      throw inner ? inner.error : failure("transaction", error, calls)
    }
  }

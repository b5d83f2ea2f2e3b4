import { randomUUID } from "node:crypto"
import {
  type AuthError,
  asAuthError,
  asError,
  CallbackRouteError,
  type ConfigProblem,
  CredentialsSignin,
  configProblem,
} from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import { defined } from "../../merge.js"
import type { CredentialInput, CredentialsConfig } from "../../providers/provider.js"
import type { Runtime } from "../../runtime.js"
import { DELAY_MS } from "../../security/limits.js"
import { requireUserId } from "../../security/user-id.js"
import { withTimeout } from "../../timeout.js"
import type { Account, User } from "../../types.js"
import type { Identity, ReadyProvider, SignInMethod } from "../method.js"
import { limitAttempts } from "./limit.js"

export interface ReadyCredentials extends ReadyProvider {
  readonly type: "credentials"
  readonly inputs: Readonly<Record<string, CredentialInput>>
  readonly authorize: CredentialsConfig["authorize"]
}

const merged = (provider: CredentialsConfig): CredentialsConfig => ({ ...provider, ...defined(provider.options) })

function check(provider: CredentialsConfig, path: string): ConfigProblem[] {
  if (typeof merged(provider).authorize === "function") return []
  const message = "is missing. Write { authorize: async (credentials) => user, or null when they are wrong }"
  return [configProblem("authorize-missing", `${path}.authorize`, message)]
}

function prepare(provider: CredentialsConfig): ReadyCredentials {
  const { id, name, credentials, authorize } = merged(provider)
  return { id, name, type: "credentials", inputs: credentials ?? {}, authorize }
}

/** A store that hangs must not keep the person waiting for ever. */
const AUTHORIZE_TIMEOUT_MS = 25_000
/** Added to the time for the application's function: what its session takes, and the delay of a reached limit. */
const STORE_MS = 3_000 + DELAY_MS

/** What a `code` may be: it is shown in the address. */
const CODE = /^[a-z0-9_-]{1,32}$/i

/**
 * The user that the application's `authorize` gives.
 *
 * @throws CredentialsSignin when it refuses, CallbackRouteError when it fails
 */
async function authorize(call: AuthCall, provider: ReadyCredentials): Promise<User> {
  let user: User | null
  try {
    const authorizing = Promise.resolve(provider.authorize({ ...call.body }, call.toRequest()))
    user = await withTimeout(authorizing, AUTHORIZE_TIMEOUT_MS, `no answer within ${AUTHORIZE_TIMEOUT_MS / 1000} s`)
  } catch (error) {
    const own = asAuthError(error)
    if (!own) throw new CallbackRouteError("authorize failed", { err: asError(error), provider: provider.id })
    throw describeRefusal(own, provider)
  }
  if (!user) throw new CredentialsSignin("authorize refused", { provider: provider.id })
  // Spread, anything would become somebody: a name its letters, and `true` nobody in particular.
  if (typeof user !== "object" || Array.isArray(user))
    throw new CallbackRouteError("authorize gave something that is no user", { provider: provider.id })
  return user
}

const isCode = (code: unknown): code is string => typeof code === "string" && CODE.test(code)

/** May what the error says be written over? */
function isOpen(error: AuthError): boolean {
  const code = Object.getOwnPropertyDescriptor(error, "code")
  return Object.isExtensible(error) && (code === undefined || code.writable === true)
}

/** An error that can't be written to, as one that says the same: what it has for a code would get into the address. */
function reopened(error: AuthError): AuthError {
  // What is worked out each time may be another text the next time.
  const code: unknown = Object.getOwnPropertyDescriptor(error, "code")?.value
  const { message, cause } = error
  return Object.assign(new CredentialsSignin(message, cause), isCode(code) && { code })
}

/** The application's own error, with what the log and the address need. */
function describeRefusal(thrown: AuthError, provider: ReadyCredentials): AuthError {
  const isSealed = thrown.type === "CredentialsSignin" && !isOpen(thrown)
  const error = isSealed ? reopened(thrown) : thrown
  if (!Object.isExtensible(error)) return error
  const code: unknown = Reflect.get(error, "code")
  if (code !== undefined && !isCode(code)) Object.assign(error, { code: "credentials" })
  error.message ||= "authorize refused"
  error.cause ??= { provider: provider.id }
  return error
}

/** A random id for a user who has none: nothing is stored for a user with credentials. */
function idOf(user: User, provider: ReadyCredentials): string {
  if (user.id === undefined || user.id === null) return randomUUID()
  try {
    return requireUserId(user.id, "authorize", user)
  } catch (error) {
    const message = `authorize returned a user with an unusable id (${typeof user.id}): return a text, a finite number, or no id`
    throw new CallbackRouteError(message, { err: asError(error), provider: provider.id })
  }
}

const MAX_NAMES = 30

/** Their names alone; whoever sends a form may send any number. */
const fieldsOf = ({ body }: AuthCall): string => Object.keys(body).slice(0, MAX_NAMES).join(", ")

async function finish(call: AuthCall, provider: ReadyCredentials, runtime: Runtime): Promise<Identity> {
  const attempt = await limitAttempts(call, provider, runtime)
  call.story?.tell("credentials", `the limit on attempts lets it pass; authorize gets the fields ${fieldsOf(call)}`)
  const checkedAt = runtime.now()
  const given = await authorize(call, provider)
  call.story?.tell("credentials", `authorize gave a user${given.id === undefined ? " without an id" : ""}`)
  await attempt.onSuccess()
  const id = idOf(given, provider)
  const account: Account = { providerAccountId: id, type: "credentials", provider: provider.id }
  return { user: { ...given, id }, account, credentials: { ...call.body }, checkedAt }
}

/** Fields of the application's own, checked by its own function. */
export const credentialsMethod: SignInMethod<CredentialsConfig, ReadyCredentials> = {
  check,
  prepare,
  finish,
  needs: { finishBy: () => ["POST"], csrfOnPost: true, patienceMs: () => AUTHORIZE_TIMEOUT_MS + STORE_MS },
}

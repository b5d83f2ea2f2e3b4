import { randomUUID } from "node:crypto"
import type { Identity } from "../../accounts/identity.js"
import { withTimeout } from "../../base/timeout.js"
import type { Account, User } from "../../base/types.js"
import {
  type AuthError,
  asAuthError,
  asError,
  CallbackRouteError,
  type ConfigProblem,
  CredentialsSignin,
  configProblem,
} from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import type { CredentialInput, CredentialsConfig } from "../../provider-kit/provider.js"
import { DELAY_MS } from "../../security/limits.js"
import { requireUserId } from "../../security/user-id.js"
import type { CallbackState, MethodRuntime, ReadyProvider, SignInMethod } from "../method.js"
import { identifyingValues } from "../shared/identifying-fields.js"
import { mergeOptions } from "../shared/merge-options.js"
import { limitAttempts } from "./limit.js"

export interface ReadyCredentials extends ReadyProvider {
  readonly type: "credentials"
  readonly inputs: Readonly<Record<string, CredentialInput>>
  readonly authorize: CredentialsConfig["authorize"]
}

function check(provider: CredentialsConfig, path: string): ConfigProblem[] {
  if (typeof mergeOptions(provider).authorize === "function") return []
  const fix = "Write { authorize: async (credentials) => … }: return the user, or null if the credentials are wrong"
  return [configProblem("authorize-missing", `${path}.authorize`, "is missing", fix)]
}

function prepare(provider: CredentialsConfig): ReadyCredentials {
  const { id, name, credentials, authorize } = mergeOptions(provider)
  return { id, name, type: "credentials", inputs: credentials ?? {}, authorize }
}

/** The time limit for `authorize`. */
const AUTHORIZE_TIMEOUT_MS = 25_000
/** The rest of the request's time limit: for creating the session, and for the delay of a reached rate limit. */
const EXTRA_TIMEOUT_MS = 3_000 + DELAY_MS

/** Matches a valid `code` of a CredentialsSignin error, which appears in the URL of the sign-in page. */
const CODE_FORMAT = /^[a-z0-9_-]{1,32}$/i

/**
 * Calls the application's `authorize` and returns its user.
 *
 * @throws CredentialsSignin if `authorize` returns no user; AuthError if `authorize` throws an AuthError;
 * CallbackRouteError if `authorize` throws another error, does not settle in time, or returns a value of another type
 */
async function callAuthorize(call: AuthCall, provider: ReadyCredentials): Promise<User> {
  let user: User | null
  try {
    const authorizing = Promise.resolve(provider.authorize({ ...call.body }, call.toRequest()))
    user = await withTimeout(
      authorizing,
      AUTHORIZE_TIMEOUT_MS,
      `authorize did not settle within ${AUTHORIZE_TIMEOUT_MS / 1000} s`,
    )
  } catch (error) {
    const authError = asAuthError(error)
    if (!authError) throw new CallbackRouteError("authorize failed", { err: asError(error), provider: provider.id })
    throw completeRefusal(authError, provider)
  }
  if (!user) throw new CredentialsSignin("authorize refused", { provider: provider.id })
  // Other values must not be spread into a user: a string would become its letters, `true` an empty object.
  if (typeof user !== "object" || Array.isArray(user))
    throw new CallbackRouteError("authorize must return a user object or null", { provider: provider.id })
  return user
}

const isCode = (code: unknown): code is string => typeof code === "string" && CODE_FORMAT.test(code)

/** True if the error's `code` and other members can be set. */
function isWritable(error: AuthError): boolean {
  const code = Object.getOwnPropertyDescriptor(error, "code")
  return Object.isExtensible(error) && (code === undefined || code.writable === true)
}

/** Copies a read-only error, so that an invalid `code` can be dropped before it appears in the URL. */
function copyReadOnlyError(error: AuthError): AuthError {
  // A getter is ignored, because it may return a different value next time.
  const code: unknown = Object.getOwnPropertyDescriptor(error, "code")?.value
  const { message, cause } = error
  const copy = new CredentialsSignin(message, cause)
  if (isCode(code)) copy.code = code
  return copy
}

/** Completes an error of the application: replaces an invalid code, and adds a missing message and cause. */
function completeRefusal(thrown: AuthError, provider: ReadyCredentials): AuthError {
  const isReadOnly = thrown.type === "CredentialsSignin" && !isWritable(thrown)
  const error = isReadOnly ? copyReadOnlyError(thrown) : thrown
  if (!Object.isExtensible(error)) return error
  const code: unknown = Reflect.get(error, "code")
  if (code !== undefined && !isCode(code)) Reflect.set(error, "code", "credentials")
  error.message ||= "authorize refused"
  error.cause ??= { provider: provider.id }
  return error
}

/**
 * Returns the user's id; undefined if the user has none.
 *
 * @throws CallbackRouteError if the id is empty, or several users could have it
 */
function readUserId(user: User, provider: ReadyCredentials): string | undefined {
  if (user.id === undefined || user.id === null) return undefined
  try {
    return requireUserId(user.id, "authorize", user)
  } catch (error) {
    const message = `authorize returned a user with an unusable id (${typeof user.id}): return a non-empty string, a safe integer, or no id`
    throw new CallbackRouteError(message, { err: asError(error), provider: provider.id })
  }
}

const MAX_TRACED_FIELDS = 30

/** Lists the names of the posted fields for the trace. The list is limited, because clients can post any fields. */
const listFieldNames = ({ body }: AuthCall): string => Object.keys(body).slice(0, MAX_TRACED_FIELDS).join(", ")

async function finish(
  call: AuthCall,
  { provider }: CallbackState<ReadyCredentials>,
  runtime: MethodRuntime,
): Promise<Identity> {
  const attempt = await limitAttempts(call, provider, runtime)
  call.trace?.write(
    "credentials",
    `no rate limit is reached; calling authorize with the fields ${listFieldNames(call)}`,
  )
  const checkedAt = runtime.now()
  const user = await callAuthorize(call, provider)
  call.trace?.write("credentials", `authorize returned a user${user.id === undefined ? " without an id" : ""}`)
  await attempt.onSuccess()
  const userId = readUserId(user, provider)
  // Users of a credentials provider are not stored, so a random id suffices for the session.
  const id = userId ?? randomUUID()
  const account: Account = { providerAccountId: id, type: "credentials", provider: provider.id }
  const authentication = { amr: ["pwd"], authTime: Math.floor(checkedAt / 1000) }
  const identity = { user: { ...user, id }, account, authentication, credentials: { ...call.body }, checkedAt }
  return userId === undefined ? { ...identity, hasRandomId: true } : identity
}

/** Sign-in with a form whose fields the application checks in `authorize`. */
export const credentialsMethod: SignInMethod<CredentialsConfig, ReadyCredentials> = {
  check,
  prepare,
  finish,
  reauthentication: {
    isPossible({ authentication, stored }, { id }) {
      if (authentication?.provider === id) return true
      // A user of the adapter may also have a password. Only the application can tell.
      return stored ? "unknown" : false
    },
    amr: () => ["pwd"],
  },
  needs: {
    form: "fields",
    account: "external",
    callbackMethods: () => ["POST"],
    requiresCsrf: true,
    timeoutMs: () => AUTHORIZE_TIMEOUT_MS + EXTRA_TIMEOUT_MS,
    formValues: (body, { inputs }) => identifyingValues(body, inputs),
  },
}

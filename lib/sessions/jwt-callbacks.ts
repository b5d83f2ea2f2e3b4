/**
 * Calls the application's `jwt` and `session` callbacks for encrypted sessions.
 *
 * @module
 */
import type { DefaultSession, JWT, Session } from "../base/types.js"
import { createSingleFlight } from "../cache/single-flight.js"
import { type AuthError, asAuthError, asError, CallbackRouteError, TIMED_OUT } from "../errors/errors.js"
import { createClaims, requireClaims } from "./claims.js"
import type { ReadPurpose, SessionRuntime, SignedIn } from "./session.js"
import type { OpenedToken, Tokens } from "./tokens.js"

/**
 * Returns a function that throws the error of a callback, as a `CallbackRouteError` unless it is an `AuthError`. The
 * session stays valid.
 */
const throwCallbackError =
  (name: "jwt" | "session") =>
  (error: unknown): never => {
    const cause = { err: asError(error), callback: name }
    throw asAuthError(error) ?? new CallbackRouteError(`callbacks.${name} threw an error`, cause)
  }

const createTimeoutError = (seconds: number): AuthError =>
  new CallbackRouteError(`callbacks.jwt did not settle within ${seconds} s`, { callback: "jwt" }, TIMED_OUT)

/**
 * Calls the callbacks. If a callback fails, each method throws a `CallbackRouteError`, or the error of the callback if
 * it is an `AuthError`.
 */
export class JwtCallbacks {
  readonly #callbacks: SessionRuntime["callbacks"]
  readonly #tokens: Tokens
  /** Calls of the `jwt` callback in progress, by token. Concurrent requests share one call. Its result is JSON. */
  readonly #reads = createSingleFlight<string | null>(createTimeoutError)

  constructor(callbacks: SessionRuntime["callbacks"], tokens: Tokens) {
    this.#callbacks = callbacks
    this.#tokens = tokens
  }

  /** Calls the `jwt` callback for a new session and returns the claims; null if the callback ends the session. */
  create(signedIn: SignedIn): Promise<JWT | null> {
    const { user, account, profile, isNewUser } = signedIn
    const params = {
      token: createClaims(signedIn),
      user,
      account,
      ...(profile && { profile }),
      ...(isNewUser !== undefined && { isNewUser }),
      trigger: isNewUser ? ("signUp" as const) : ("signIn" as const),
    }
    return this.#callbacks.jwt(params).then(requireClaims).catch(throwCallbackError("jwt"))
  }

  /**
   * Calls the `jwt` callback for an existing session, remembers the claims and returns them as JSON; null if the
   * callback ends the session.
   */
  read(found: OpenedToken, purpose: ReadPurpose): Promise<string | null> {
    return this.#callJwt(found, purpose).catch(throwCallbackError("jwt"))
  }

  async #callJwt(found: OpenedToken, purpose: ReadPurpose): Promise<string | null> {
    // As in Auth.js, the callback is called without `user` here, although the type requires it.
    type Params = Parameters<SessionRuntime["callbacks"]["jwt"]>[0]
    const call = async (params: object): Promise<string | null> => {
      const { token, json } = this.#tokens.current(found)
      const claims = requireClaims(await this.#callbacks.jwt({ token, ...params } as Params))
      if (!claims) return null
      const result = JSON.stringify(claims)
      this.#tokens.remember(found, result, json)
      return result
    }
    if (purpose.mode === "update") return call({ trigger: "update", session: purpose.data })
    // The call is shared until its result is remembered. Otherwise a request in between would run the callback again.
    return this.#reads.read(found.value, () => call({ session: undefined }))
  }

  /** Stops later reads of this token from sharing a call in progress. */
  stopSharing({ value }: OpenedToken): void {
    this.#reads.invalidate(value)
  }

  /** Calls the `session` callback and returns its result. */
  session(session: Session, token: JWT): Promise<Session | DefaultSession | undefined> {
    // A cookie session has neither `user` nor `newSession`, although the type of Auth.js requires them.
    const params = { session, token } as Parameters<SessionRuntime["callbacks"]["session"]>[0]
    return this.#callbacks.session(params).catch(throwCallbackError("session"))
  }
}

/**
 * Runs the application's callbacks and event handlers.
 *
 * @module
 */

import { type Awaitable, isPromiseLike } from "../base/awaitable.js"
import { withTimeout } from "../base/timeout.js"
import type { Session, User } from "../base/types.js"
import type { CallbacksOptions } from "../config/auth-config.js"
import type { Emit, ReadyCallbacks, ResolvedConfig } from "../config/resolved-config.js"
import { asAuthError, asError, CallbackRouteError, EventError } from "../errors/errors.js"
import type { Logger } from "../logging/logger.js"
import { sameOriginOrBase } from "../security/redirects.js"

const defaultSession: Required<CallbacksOptions>["session"] = ({ session }): Session => {
  const { name, email, image } = session.user
  const expires: unknown = session.expires
  return { user: { name, email, image }, expires: expires instanceof Date ? expires.toISOString() : String(expires) }
}

async function askIsActive(isActive: NonNullable<ResolvedConfig["isActive"]>, user: User): Promise<boolean> {
  try {
    return (await isActive(user)) === true
  } catch (error) {
    throw asAuthError(error) ?? new CallbackRouteError("isActive threw an error", { err: asError(error) })
  }
}

/**
 * Returns the application's callbacks. A default replaces each missing callback, except `isActive`, which stays
 * undefined.
 */
export function createCallbacks({
  callbacks,
  isActive,
}: Pick<ResolvedConfig, "callbacks" | "isActive">): ReadyCallbacks {
  const signIn = callbacks.signIn ?? (() => true)
  const redirect = callbacks.redirect ?? sameOriginOrBase
  const jwt = callbacks.jwt ?? (({ token }) => token)
  const session = callbacks.session ?? defaultSession
  return Object.freeze({
    signIn: async (params) => signIn(params),
    redirect: async (params) => redirect(params),
    jwt: async (params) => jwt(params),
    session: async (params) => session(params),
    isActive: isActive && (async (user) => askIsActive(isActive, user)),
  })
}

/** Time limit of an event handler. A handler that never settles must not block the response. */
const EVENT_TIMEOUT_MS = 5_000

const RESOLVED = Promise.resolve()

async function runWithTimeout(run: () => Awaitable<void>): Promise<void> {
  const result = run()
  if (isPromiseLike(result))
    await withTimeout(result, EVENT_TIMEOUT_MS, `the handler did not settle within ${EVENT_TIMEOUT_MS / 1000} s`)
}

const eventError = (name: string, error: unknown) =>
  new EventError(`events.${name} failed`, { err: asError(error), event: name })

/**
 * Returns a function that runs the application's handler of an event. The function rejects with an `EventError` if the
 * handler fails or does not settle within 5 s.
 */
export const createStrictEmit =
  ({ events }: Pick<ResolvedConfig, "events">): Emit =>
  async (name, message) => {
    // TypeScript can't infer here that the type of `name` determines the type of `message`.
    const handler = events[name] as ((message: unknown) => Awaitable<void>) | undefined
    try {
      if (handler) await runWithTimeout(() => handler(message))
    } catch (error) {
      throw eventError(name, error)
    }
  }

/** As `createStrictEmit`, but the returned function logs a failure of the handler, and never rejects. */
export const createEmit = (config: Pick<ResolvedConfig, "events">, logger: Logger): Emit => {
  const emitStrictly = createStrictEmit(config)
  return (name, message) =>
    config.events[name] ? emitStrictly(name, message).catch((error: unknown) => logger.error(asError(error))) : RESOLVED
}

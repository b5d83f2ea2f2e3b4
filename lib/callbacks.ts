/**
 * What an application is asked, and what it is told.
 *
 * @module
 */
import { isPromiseLike } from "./awaitable.js"
import type { ResolvedConfig } from "./config/resolve.js"
import { asError, EventError } from "./errors.js"
import type { Logger } from "./logger.js"
import { sameOriginOrBase } from "./security/redirects.js"
import { withTimeout } from "./timeout.js"
import type { AuthConfig, Awaitable, EventsOptions, Session } from "./types.js"

type Callbacks = Required<NonNullable<AuthConfig["callbacks"]>>
/** Each callback as it is called here: its answer always comes as a promise, and a throw as a rejection. */
export type ReadyCallbacks = {
  readonly [Name in keyof Callbacks]: (
    ...args: Parameters<Callbacks[Name]>
  ) => Promise<Awaited<ReturnType<Callbacks[Name]>>>
}

export type Emit = <Name extends keyof EventsOptions>(
  name: Name,
  message: Parameters<NonNullable<EventsOptions[Name]>>[0],
) => Promise<void>

const defaultSession: Callbacks["session"] = ({ session }): Session => {
  const { name, email, image } = session.user
  const expires: unknown = session.expires
  return { user: { name, email, image }, expires: expires instanceof Date ? expires.toISOString() : String(expires) }
}

/** The callbacks of a configuration, and defaults for those that it has not. */
export function createCallbacks({ callbacks }: ResolvedConfig): ReadyCallbacks {
  const signIn = callbacks.signIn ?? (() => true)
  const redirect = callbacks.redirect ?? sameOriginOrBase
  const jwt = callbacks.jwt ?? (({ token }) => token)
  const session = callbacks.session ?? defaultSession
  return Object.freeze({
    signIn: async (params) => signIn(params),
    redirect: async (params) => redirect(params),
    jwt: async (params) => jwt(params),
    session: async (params) => session(params),
  })
}

/** A handler that hangs must not hang the visitor too. */
const EVENT_TIMEOUT_MS = 5_000

const TOLD = Promise.resolve()

async function tell(ask: () => Awaitable<void>): Promise<void> {
  const told = ask()
  if (isPromiseLike(told)) await withTimeout(told, EVENT_TIMEOUT_MS, `no end within ${EVENT_TIMEOUT_MS / 1000} s`)
}

const eventError = (name: string, error: unknown) =>
  new EventError(`events.${name} failed`, { err: asError(error), event: name })

/** Runs the handler of an event; rejects with an `EventError` if it fails or does not settle within 5 s. */
export const createRequireHandled =
  ({ events }: ResolvedConfig): Emit =>
  async (name, message) => {
    // Each handler takes the message of its own name: the two come from one type.
    const handler = events[name] as ((message: unknown) => Awaitable<void>) | undefined
    try {
      if (handler) await tell(() => handler(message))
    } catch (error) {
      throw eventError(name, error)
    }
  }

/** Runs the handler of an event; its failure is logged and changes nothing. */
export const createEmit = (config: ResolvedConfig, logger: Logger): Emit => {
  const requireHandled = createRequireHandled(config)
  return (name, message) =>
    config.events[name] ? requireHandled(name, message).catch((error: unknown) => logger.error(asError(error))) : TOLD
}

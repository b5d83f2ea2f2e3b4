import type { EventEmitter } from "node:events"
import type { Session } from "./base/types.js"
import type { AuthConfig } from "./config/auth-config.js"
import { asError, UnsupportedStrategy } from "./errors/errors.js"
import type { NodeRequest } from "./express/node.js"
import { isFromOtherOrigin } from "./express/origin.js"
import { getOrCreateContext } from "./get-session.js"
import { requireRuntime } from "./runtime/runtime.js"

/** The options of `watchSession`. */
export interface WatchSessionOptions {
  /**
   * Called once, when the session has ended: within a second after a sign-out or `endSession`, or within five minutes
   * after the session has expired.
   */
  onEnd: () => void
  /** The connection. When it emits "close" or "disconnect", watching stops and `onEnd` is not called any more. */
  until: Pick<EventEmitter, "once">
}

/**
 * A stream, a response, a WebSocket of the package `ws`, or a socket of Socket.IO: the properties that show whether it
 * has closed.
 */
interface Connection extends Pick<EventEmitter, "once"> {
  readonly destroyed?: boolean
  readonly writableEnded?: boolean
  /** With `ws` a number: 2 means closing, 3 means closed. With Socket.IO a string, such as "closed". */
  readonly readyState?: number | string
  /** The connection below a socket of Socket.IO. Several sockets can share it. */
  readonly conn?: Connection
}

const hasClosed = ({ destroyed, writableEnded, readyState = 0, conn }: Connection): boolean =>
  Boolean(destroyed) ||
  Boolean(writableEnded) ||
  (typeof readyState === "number" ? readyState >= 2 : /^clos/.test(readyState)) ||
  (conn !== undefined && hasClosed(conn))

/**
 * Calls `listener` when the connection closes, possibly more than once. A socket that Socket.IO has not accepted yet
 * emits no event, so the connection below it is observed too.
 */
function onClose(connection: Connection, listener: () => void): void {
  for (const event of ["close", "disconnect"]) connection.once(event, listener)
  connection.conn?.once("close", listener)
}

/** @throws TypeError that shows valid options */
function requireOptions(options: Partial<WatchSessionOptions> | undefined): asserts options is WatchSessionOptions {
  if (typeof options?.until?.once === "function" && typeof options.onEnd === "function") return
  throw new TypeError(
    "watchSession needs the connection `until` and the function `onEnd`. Write { until: ws, onEnd: () => ws.close() }",
  )
}

/**
 * Returns the session of a connection that stays open, such as a WebSocket or server-sent events. Calls `onEnd` when
 * the session ends, even if another process of the application has ended it. Returns null if there is no session, or if
 * a page of another origin has opened the connection. One timer in each process checks all watched sessions.
 *
 * @param req the request that opened the connection
 * @param config the same object as for the middleware
 * @throws UnsupportedStrategy if there is no store, or if `session.revocable` is false; TypeError if `until` or `onEnd`
 * is missing; ConfigurationError if the configuration is invalid; AuthError in the same cases as `getSession`
 * @example
 * sockets.on("connection", async (ws, req) => {
 *   const session = await watchSession(req, config, { until: ws, onEnd: () => ws.close() })
 *   if (!session) ws.close()
 * })
 */
export async function watchSession(
  req: NodeRequest,
  config: AuthConfig,
  options: WatchSessionOptions,
): Promise<Session | null> {
  requireOptions(options)
  const { onEnd, until } = options
  const runtime = requireRuntime(config)
  const { registry } = runtime.sessions
  if (!registry)
    throw new UnsupportedStrategy(
      "watchSession needs a store that records the sessions. Write { store: RedisStore(redis) }, or another store of docs/stores.md, and remove session.revocable: false",
    )
  // A page of another site can open a WebSocket with the user's cookies.
  if (isFromOtherOrigin(req, runtime)) return null
  let stop = () => {}
  let isClosed = hasClosed(until)
  // The connection may close while the session is read.
  onClose(until, () => {
    isClosed = true
    stop()
  })
  const context = getOrCreateContext(req, runtime)
  const session = await context.getSession()
  const { id, owner } = context.identifiers
  if (!session || id === undefined || isClosed) return session
  const callOnEnd = () => {
    try {
      onEnd()
    } catch (error) {
      runtime.logger.error(asError(error))
    }
  }
  // A `session` callback may have removed `expires`. The session is then watched as one that has expired (0), so that
  // the registry reads its record at once.
  const expires = Date.parse(session.expires) || 0
  stop = registry.watch({ id, owner, expires }, callOnEnd)
  return session
}

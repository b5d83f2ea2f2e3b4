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
   * Called once: within a second after the session has ended by a sign-out or by `endSession`, and within five minutes
   * after it has expired.
   */
  onEnd: () => void
  /** The connection. Watching stops when it has closed: at its event "close" or "disconnect". */
  until: Pick<EventEmitter, "once">
}

/** A stream, a response, a WebSocket of `ws`, or a socket of Socket.IO with the connection that it shares with others. */
interface Connection extends Pick<EventEmitter, "once"> {
  readonly destroyed?: boolean
  readonly writableEnded?: boolean
  /** A number of `ws` (2 is closing), or the text of a connection of Socket.IO. */
  readonly readyState?: number | string
  readonly conn?: Connection
}

const hasClosed = ({ destroyed, writableEnded, readyState = 0, conn }: Connection): boolean =>
  Boolean(destroyed) ||
  Boolean(writableEnded) ||
  (typeof readyState === "number" ? readyState >= 2 : /^clos/.test(readyState)) ||
  (conn !== undefined && hasClosed(conn))

/** Calls `close` once the connection has closed. Before Socket.IO has accepted a socket, it emits no event. */
function onClose(connection: Connection, close: () => void): void {
  for (const event of ["close", "disconnect"]) connection.once(event, close)
  connection.conn?.once("close", close)
}

/** @throws TypeError with what to write */
function requireOptions(options: Partial<WatchSessionOptions> | undefined): asserts options is WatchSessionOptions {
  if (typeof options?.until?.once === "function" && typeof options.onEnd === "function") return
  throw new TypeError("watchSession needs the connection. Write { until: ws, onEnd: () => ws.close() }")
}

/**
 * Returns the session of a connection that stays open, such as a WebSocket or server-sent events, and calls `onEnd` when
 * the session ends in any process. Returns null without a session, and for a connection that a page of another origin
 * has opened. All connections of a process share one timer.
 *
 * @param req the request that opened the connection
 * @param config the same object as for the middleware
 * @throws UnsupportedStrategy without a store; AuthError as `getSession`; TypeError without `until` or `onEnd`;
 * ConfigurationError
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
      "watchSession needs the records of sessions in a store. Write { store: RedisStore(redis) }, or another store of docs/stores.md, without session.revocable: false",
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
  const { id, owner } = context.names
  if (!session || id === undefined || isClosed) return session
  const end = () => {
    try {
      onEnd()
    } catch (error) {
      runtime.logger.error(asError(error))
    }
  }
  // A `session` callback may leave the expiry out. The record is then read at once.
  const expires = Date.parse(session.expires) || 0
  stop = registry.watch({ id, owner, expires }, end)
  return session
}

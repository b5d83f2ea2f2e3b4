/**
 * Finds the application that an agent tests, and the cookies of the agent.
 *
 * @module
 */

import type { CookieChange } from "../base/types.js"
import type { AuthConfig } from "../config/auth-config.js"
import { getHandlerRuntime } from "../express/handler-runtime.js"
import { parseCookies, toOutgoing } from "../http/cookies.js"
import { type Runtime, requireRuntime } from "../runtime/runtime.js"
import type { SessionCookies } from "../sessions/session.js"
import { type Agent, cookieJarFor } from "./agents/agent.js"
import type { CookieJar } from "./agents/cookie-jar.js"
import { refuseProduction } from "./refuse-production.js"

/** Options that identify the application of an agent. They are remembered for later calls with the same agent. */
export interface AgentOptions {
  /**
   * The configuration passed to `authMiddleware`. @default the configuration of the application behind a supertest
   * agent
   */
  readonly config?: AuthConfig
  /**
   * The application's origin: "http://localhost:3000". @default the origin of the agent's requests, otherwise AUTH_URL
   */
  readonly origin?: string | URL
}

/** The application and the cookies of an agent. */
export interface AgentTarget {
  readonly runtime: Runtime
  /** The cookies of the agent. */
  readonly browser: SessionCookies
  /** Stores cookies in the agent, as a response would. */
  apply(changes: readonly CookieChange[]): Promise<void>
  /** Returns the Cookie header of the agent's next request. */
  cookieHeader(): Promise<string>
}

interface KnownTarget {
  readonly runtime: Runtime
  readonly origin: string
}

const targets = new WeakMap<object, KnownTarget>()

/**
 * Finds the application and the cookies of an agent, and remembers the application for later calls with the agent.
 * `caller` is the name of the calling function, for error messages.
 *
 * @throws Error with NODE_ENV=production; TypeError that names a missing option; ConfigurationError for an invalid
 * configuration
 */
export async function resolveTarget(
  agent: Agent | string | URL,
  options: AgentOptions,
  caller: string,
): Promise<AgentTarget> {
  refuseProduction(caller)
  const jar = cookieJarFor(agent)
  const remembered = typeof agent === "object" ? targets.get(agent) : undefined
  const runtime = options.config ? requireRuntime(options.config) : (remembered?.runtime ?? findRuntime(jar, caller))
  const origin = options.origin
    ? new URL(options.origin).origin
    : (remembered?.origin ?? requireOrigin(jar, runtime, caller))
  if (typeof agent === "object") targets.set(agent, { runtime, origin })
  const cookieSet = runtime.cookieSetFor(runtime.config.canonicalOrigin ?? origin)
  const cookieHeader = await jar.read(origin)
  return {
    runtime,
    browser: { cookies: parseCookies(cookieHeader), cookieSet, cookieHeader },
    async apply(changes) {
      for (const cookie of toOutgoing(changes, cookieSet)) await jar.store(cookie, origin)
    },
    cookieHeader: async () => jar.read(origin),
  }
}

type HandlerObject = Readonly<Record<string, unknown>>

const isHandlerObject = (value: unknown): value is HandlerObject =>
  (typeof value === "object" && value !== null) || typeof value === "function"

/** Express 4 stores the router as `_router`, Express 5 as `router`. In Express 4, reading `router` throws. */
function findRouter(app: HandlerObject): unknown {
  try {
    return app["_router"] ?? app["router"]
  } catch {
    return undefined
  }
}

/** Returns the request handlers of a `node:http` server; an empty list for other objects. */
const findListeners = ({ listeners }: HandlerObject, server: HandlerObject): unknown[] => {
  const found: unknown = typeof listeners === "function" ? Reflect.apply(listeners, server, ["request"]) : undefined
  return Array.isArray(found) ? found : []
}

/** Lists the parts of an object that can contain more handlers, such as a router's stack or a server's listeners. */
function listChildren(value: HandlerObject): unknown[] {
  const { stack, handle, route } = value
  return [...findListeners(value, value), ...(Array.isArray(stack) ? stack : []), handle, route, findRouter(value)]
}

/** Returns the runtimes of all middleware in an application of Express or Connect, in a router, or in a server. */
function findRuntimes(app: unknown): readonly Runtime[] {
  const found = new Set<Runtime>()
  const seen = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (!isHandlerObject(value) || seen.has(value)) return
    seen.add(value)
    const runtime = getHandlerRuntime(value)
    if (runtime) found.add(runtime)
    for (const child of listChildren(value)) visit(child)
  }
  visit(app)
  return [...found]
}

function findRuntime({ app }: CookieJar, caller: string): Runtime {
  const [runtime, ...others] = findRuntimes(app)
  if (runtime && others.length === 0) return runtime
  const seen = runtime
    ? `the application contains ${others.length + 1} different authMiddleware(…)`
    : "no authMiddleware(…) was found behind the agent (Express hides the handlers of mounted applications)"
  throw new TypeError(`${caller}: ${seen}. Pass the configuration: ${caller}(agent, …, { config })`)
}

function requireOrigin({ origin }: CookieJar, { config }: Runtime, caller: string): string {
  const found = origin ?? config.canonicalOrigin
  if (found) return found
  throw new TypeError(
    `${caller}: the agent has no origin. Set AUTH_URL, or write ${caller}(agent, …, { origin: "http://localhost:3000" })`,
  )
}

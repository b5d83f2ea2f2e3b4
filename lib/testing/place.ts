/**
 * Which browser of which application a call is about.
 *
 * @module
 */
import { type CookieChange, parseCookies, toOutgoing } from "../http/cookies.js"
import { type Runtime, requireRuntime } from "../runtime.js"
import type { SessionCookies } from "../sessions/session.js"
import type { AuthConfig } from "../types.js"
import { type Agent, keeperOf } from "./agents/agent.js"
import type { CookieKeeper } from "./agents/keeper.js"
import { runtimesIn } from "./find-runtime.js"
import { refuseProduction } from "./refuse-production.js"

/** Which application an agent belongs to. What was said once of an agent need not be said again. */
export interface AgentOptions {
  /** The configuration that the application gave to `authMiddleware`. @default that of the application behind a supertest agent */
  readonly config?: AuthConfig
  /** Where the application is: "http://localhost:3000". @default where the agent's requests go, else AUTH_URL */
  readonly origin?: string | URL
}

export interface Place {
  readonly runtime: Runtime
  readonly browser: SessionCookies
  /** Puts cookies into the agent, as an answer would. */
  apply(changes: readonly CookieChange[]): Promise<void>
  /** The header of the agent's next request. */
  cookieHeader(): Promise<string>
}

interface Known {
  readonly runtime: Runtime
  readonly origin: string
}

const known = new WeakMap<object, Known>()

/**
 * Finds the browser and its application, for the function `what`.
 *
 * @throws Error with NODE_ENV=production, TypeError that says which option is missing, ConfigurationError
 */
export async function placeOf(agent: Agent | string | URL, options: AgentOptions, what: string): Promise<Place> {
  refuseProduction(what)
  const keeper = keeperOf(agent)
  const before = typeof agent === "object" ? known.get(agent) : undefined
  const runtime = options.config ? requireRuntime(options.config) : (before?.runtime ?? runtimeBehind(keeper, what))
  const origin = options.origin ? new URL(options.origin).origin : (before?.origin ?? originOf(keeper, runtime, what))
  if (typeof agent === "object") known.set(agent, { runtime, origin })
  const cookieSet = runtime.cookieSetFor(runtime.config.canonicalOrigin ?? origin)
  const cookieHeader = await keeper.read(origin)
  return {
    runtime,
    browser: { cookies: parseCookies(cookieHeader), cookieSet, cookieHeader },
    async apply(changes) {
      for (const cookie of toOutgoing(changes, cookieSet)) await keeper.take(cookie, origin)
    },
    cookieHeader: async () => keeper.read(origin),
  }
}

function runtimeBehind({ app }: CookieKeeper, what: string): Runtime {
  const [runtime, ...others] = runtimesIn(app)
  if (runtime && others.length === 0) return runtime
  const seen = runtime
    ? `${others.length + 1} different authMiddleware(…) are in the application`
    : "no authMiddleware(…) was found behind the agent (Express hides what is in an application mounted in another)"
  throw new TypeError(`${what}: ${seen}. Say which configuration: ${what}(agent, …, { config })`)
}

function originOf({ origin }: CookieKeeper, { config }: Runtime, what: string): string {
  const found = origin ?? config.canonicalOrigin
  if (found) return found
  throw new TypeError(
    `${what}: the agent does not say where the application is. Set AUTH_URL, or write ${what}(agent, …, { origin: "http://localhost:3000" })`,
  )
}

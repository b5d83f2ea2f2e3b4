/**
 * The configuration behind an application: its `authMiddleware` is looked for among its handlers.
 *
 * @module
 */
import { runtimeIn } from "../express/brand.js"
import type { Runtime } from "../runtime.js"

type Part = Readonly<Record<string, unknown>>

const isPart = (value: unknown): value is Part =>
  (typeof value === "object" && value !== null) || typeof value === "function"

/** Express 4 has its router here, Express 5 there, where Express 4 throws. */
function routerOf(app: Part): unknown {
  try {
    return app["_router"] ?? app["router"]
  } catch {
    return undefined
  }
}

/** An application's handlers, where it is behind a server of `node:http`. */
const listenersOf = ({ listeners }: Part, server: Part): unknown[] => {
  const found: unknown = typeof listeners === "function" ? Reflect.apply(listeners, server, ["request"]) : undefined
  return Array.isArray(found) ? found : []
}

/** What may hold further handlers: a router's stack, a layer's handler, a route's stack. */
function partsOf(value: Part): unknown[] {
  const { stack, handle, route } = value
  return [...listenersOf(value, value), ...(Array.isArray(stack) ? stack : []), handle, route, routerOf(value)]
}

/** Every one that is found in an application of Express or Connect, a router, or a server. */
export function runtimesIn(app: unknown): readonly Runtime[] {
  const found = new Set<Runtime>()
  const seen = new Set<unknown>()
  const look = (value: unknown): void => {
    if (!isPart(value) || seen.has(value)) return
    seen.add(value)
    const runtime = runtimeIn(value)
    if (runtime) found.add(runtime)
    for (const part of partsOf(value)) look(part)
  }
  look(app)
  return [...found]
}

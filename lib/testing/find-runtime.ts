/**
 * Finds an application's configuration by searching its handlers for `authMiddleware`.
 *
 * @module
 */
import { getHandlerRuntime } from "../express/handler-runtime.js"
import type { Runtime } from "../runtime/runtime.js"

type HandlerObject = Readonly<Record<string, unknown>>

const isHandlerObject = (value: unknown): value is HandlerObject =>
  (typeof value === "object" && value !== null) || typeof value === "function"

/** Express 4 and Express 5 store the router under different names; the name of Express 5 throws in Express 4. */
function findRouter(app: HandlerObject): unknown {
  try {
    return app["_router"] ?? app["router"]
  } catch {
    return undefined
  }
}

/** The handlers of an application behind a `node:http` server. */
const findListeners = ({ listeners }: HandlerObject, server: HandlerObject): unknown[] => {
  const found: unknown = typeof listeners === "function" ? Reflect.apply(listeners, server, ["request"]) : undefined
  return Array.isArray(found) ? found : []
}

/** Lists objects that can contain more handlers: a router's stack, a layer's handler, a route's stack. */
function listChildren(value: HandlerObject): unknown[] {
  const { stack, handle, route } = value
  return [...findListeners(value, value), ...(Array.isArray(stack) ? stack : []), handle, route, findRouter(value)]
}

/** Finds all runtimes in an application of Express or Connect, a router, or a server. */
export function findRuntimes(app: unknown): readonly Runtime[] {
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

import { entryOf, serve } from "./auth.js"
import { DEFAULT_HANDLERS_BASE_PATH } from "./config/defaults.js"
import { parseAction } from "./http/action.js"
import { toResponse } from "./http/response.js"
import { requireRuntime } from "./runtime.js"
import type { AuthConfig } from "./types.js"

/** A request, or an event that holds one; with the address of the client where the framework knows it. */
export type RequestOrEvent = Request | { readonly request: Request; readonly clientAddress?: string }

/** Answers a request below the base path; undefined leaves it to others. */
export type WebHandler = (request: RequestOrEvent) => Promise<Response | undefined>

/**
 * Handlers for a framework with web-standard requests. They serve below `basePath`, else the path of AUTH_URL, else
 * `/api/auth`, and give undefined for every other path.
 *
 * @throws ConfigurationError listing everything that is wrong with the configuration
 * @example
 * const { GET, POST } = authHandlers({ providers: [GitHub] })
 * app.on(["GET", "POST"], "/api/auth/*", (c) => (c.req.method === "POST" ? POST(c.req.raw) : GET(c.req.raw)))
 */
export function authHandlers(config: AuthConfig): { GET: WebHandler; POST: WebHandler } {
  const runtime = requireRuntime(config)
  const basePath = runtime.config.basePath ?? DEFAULT_HANDLERS_BASE_PATH
  const handle: WebHandler = async (given) => {
    const event = given instanceof Request || !("request" in given) ? { request: given } : given
    const { request: received, clientAddress } = event
    const { pathname, search, origin } = new URL(received.url)
    if (!parseAction(pathname, basePath)) return undefined
    const { canonicalOrigin, proxyPrefix } = runtime.config
    const site = canonicalOrigin ?? origin
    const isOuter = site === origin && proxyPrefix === ""
    const request = isOuter ? received : new Request(site + proxyPrefix + pathname + search, received)
    const entry = { ...entryOf(request, runtime), basePath: proxyPrefix + basePath, clientAddress }
    const { call, reply } = await serve(request, entry, runtime)
    return toResponse(reply, call)
  }
  return { GET: handle, POST: handle }
}

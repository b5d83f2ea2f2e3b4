import { handleRequest, serverInfoFrom } from "./auth.js"
import type { AuthConfig } from "./config/auth-config.js"
import { DEFAULT_HANDLERS_BASE_PATH } from "./config/defaults.js"
import { parseAction } from "./http/action.js"
import { toResponse } from "./http/response.js"
import { requireRuntime } from "./runtime/runtime.js"

/** A request, or an event with a `request` and, if the framework knows it, the client's IP address. */
export type RequestOrEvent = Request | { readonly request: Request; readonly clientAddress?: string }

/** Responds to a request for an endpoint; returns undefined for every other path. */
export type WebHandler = (request: RequestOrEvent) => Promise<Response | undefined>

/**
 * Creates handlers for a framework with web-standard requests. They serve the endpoints below `basePath`, by
 * default the path of AUTH_URL or `/api/auth`, and return undefined for every other path.
 *
 * @throws ConfigurationError with all problems of the configuration
 * @example
 * const { GET, POST } = authHandlers({ providers: [GitHub] })
 * app.on(["GET", "POST"], "/api/auth/*", (c) => (c.req.method === "POST" ? POST(c.req.raw) : GET(c.req.raw)))
 */
export function authHandlers(config: AuthConfig): { GET: WebHandler; POST: WebHandler } {
  const runtime = requireRuntime(config)
  const basePath = runtime.config.basePath ?? DEFAULT_HANDLERS_BASE_PATH
  const handle: WebHandler = async (requestOrEvent) => {
    const event =
      requestOrEvent instanceof Request || !("request" in requestOrEvent) ? { request: requestOrEvent } : requestOrEvent
    const { request: received, clientAddress } = event
    const { pathname, search, origin } = new URL(received.url)
    if (!parseAction(pathname, basePath)) return undefined
    const { canonicalOrigin, proxyPrefix } = runtime.config
    const siteOrigin = canonicalOrigin ?? origin
    const hasPublicUrl = siteOrigin === origin && proxyPrefix === ""
    const request = hasPublicUrl ? received : new Request(siteOrigin + proxyPrefix + pathname + search, received)
    const server = { ...serverInfoFrom(request, runtime), basePath: proxyPrefix + basePath, clientAddress }
    const { call, reply } = await handleRequest(request, server, runtime)
    return toResponse(reply, call)
  }
  return { GET: handle, POST: handle }
}

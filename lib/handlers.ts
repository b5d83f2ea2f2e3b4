import { handleRequest, serverInfoFrom } from "./auth.js"
import type { AuthConfig } from "./config/auth-config.js"
import { DEFAULT_HANDLERS_BASE_PATH } from "./config/defaults.js"
import { parseAction } from "./http/action.js"
import { toResponse } from "./http/response.js"
import { requireRuntime } from "./runtime/runtime.js"

/** A web `Request`, or an object with the `request` and, if the framework provides it, the client's IP address. */
export type RequestOrEvent = Request | { readonly request: Request; readonly clientAddress?: string }

/** A request handler. It resolves to the response of an endpoint, or to undefined if the path is not an endpoint. */
export type WebHandler = (request: RequestOrEvent) => Promise<Response | undefined>

/**
 * Creates the GET and POST handlers for a framework with web-standard requests, such as Hono. The handlers serve the
 * endpoints below `basePath` (default: the path of AUTH_URL, or else `/api/auth`). They resolve to undefined if the
 * path is not an endpoint.
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
    const { request: receivedRequest, clientAddress } = event
    const { pathname, search, origin } = new URL(receivedRequest.url)
    if (!parseAction(pathname, basePath)) return undefined
    const { canonicalOrigin, proxyPrefix } = runtime.config
    const siteOrigin = canonicalOrigin ?? origin
    const hasPublicUrl = siteOrigin === origin && proxyPrefix === ""
    const publicUrl = siteOrigin + proxyPrefix + pathname + search
    const request = hasPublicUrl ? receivedRequest : new Request(publicUrl, receivedRequest)
    const server = { ...serverInfoFrom(request, runtime), basePath: proxyPrefix + basePath, clientAddress }
    const { call, reply } = await handleRequest(request, server, runtime)
    return toResponse(reply, call)
  }
  return { GET: handle, POST: handle }
}

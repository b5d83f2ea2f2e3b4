import { readPendingSignIn } from "./accounts/pending-sign-in.js"
import { completeRequirement as continueSignIn } from "./actions/requirement.js"
import type { PendingSignIn } from "./base/types.js"
import type { AuthConfig } from "./config/auth-config.js"
import { DEFAULT_HANDLERS_BASE_PATH } from "./config/defaults.js"
import type { AuthCall } from "./http/call.js"
import { parseRequest } from "./http/request.js"
import { toResponse } from "./http/response.js"
import { type Runtime, requireRuntime } from "./runtime/runtime.js"
import { requireTrustedHost } from "./security/trusted-host.js"

/**
 * Creates a call to the endpoint `/callback` from the headers of a request to one of the application's pages. Does not
 * read the request's body, which the application needs.
 */
async function createCall({ url, headers }: Request, { config, cookieSetFor }: Runtime): Promise<AuthCall> {
  const origin = config.canonicalOrigin ?? new URL(url).origin
  requireTrustedHost(origin, config)
  const basePath = config.proxyPrefix + (config.basePath ?? DEFAULT_HANDLERS_BASE_PATH)
  const request = new Request(`${origin}${basePath}/callback`, { headers })
  return parseRequest(request, { origin, basePath, cookieSet: cookieSetFor(origin) })
}

/**
 * Returns the browser's pending sign-in, which waits until the user meets a requirement; null if there is none. For
 * frameworks with web-standard requests. In Express, use `req.pendingSignIn()`.
 *
 * @param config the same object as for `authHandlers` or `Auth`. With `Auth`, it must contain `basePath`
 * @throws AuthError if the store fails (status 503) or the host is not trusted; ConfigurationError
 * @example
 * app.get("/terms", async (c) => c.json(await pendingSignIn(c.req.raw, config)))
 */
export async function pendingSignIn(request: Request, config: AuthConfig): Promise<PendingSignIn | null> {
  const runtime = requireRuntime(config)
  const call = await createCall(request, runtime)
  return readPendingSignIn(call, call.base, runtime)
}

/**
 * Marks a requirement as met by the user, and continues the pending sign-in. The response redirects to the page of the
 * next requirement. If no requirement is left, it sets the session's cookies and redirects to the return URL. If the
 * sign-in has ended in the meantime, it redirects to the sign-in page. For frameworks with web-standard requests. In
 * Express, use `req.completeRequirement()`.
 *
 * @param config the same object as for `authHandlers` or `Auth`. With `Auth`, it must contain `basePath`
 * @param completed `name`: the name of the requirement. `data`: JSON data that the events `createUser` and `signIn`
 * receive
 * @throws TypeError if the option `requirements` has no requirement with this name; AuthError if the host is not
 * trusted; ConfigurationError
 * @example
 * app.post("/terms", (c) => completeRequirement(c.req.raw, config, { name: "terms", data: { version: 3 } }))
 */
export async function completeRequirement(
  request: Request,
  config: AuthConfig,
  { name, data }: { readonly name: string; readonly data?: unknown },
): Promise<Response> {
  const runtime = requireRuntime(config)
  const call = await createCall(request, runtime)
  return toResponse(await continueSignIn({ name, data }, call, runtime), call)
}

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

/** Parses a request to a page of the application, whose body the application reads. */
async function parsePageRequest({ url, headers }: Request, { config, cookieSetFor }: Runtime): Promise<AuthCall> {
  const origin = config.canonicalOrigin ?? new URL(url).origin
  requireTrustedHost(origin, config)
  const basePath = config.proxyPrefix + (config.basePath ?? DEFAULT_HANDLERS_BASE_PATH)
  const request = new Request(`${origin}${basePath}/callback`, { headers })
  return parseRequest(request, { origin, basePath, cookieSet: cookieSetFor(origin) })
}

/**
 * Returns the sign-in of a browser that waits until a requirement is met, or null. For frameworks with web-standard
 * requests; Express has `req.pendingSignIn()`.
 *
 * @param config the same object as for `authHandlers` or `Auth`; for `Auth` with `basePath`
 * @throws AuthError if the store fails (status 503), or the host is not trusted; ConfigurationError
 * @example
 * app.get("/terms", async (c) => c.json(await pendingSignIn(c.req.raw, config)))
 */
export async function pendingSignIn(request: Request, config: AuthConfig): Promise<PendingSignIn | null> {
  const runtime = requireRuntime(config)
  const call = await parsePageRequest(request, runtime)
  return readPendingSignIn(call, call.base, runtime)
}

/**
 * States that the user has met a requirement, and continues the sign-in. The response sets the cookies of the session,
 * and redirects to the next requirement, the return URL, or the sign-in page if the sign-in has ended. For frameworks
 * with web-standard requests; Express has `req.completeRequirement()`.
 *
 * @param config the same object as for `authHandlers` or `Auth`; for `Auth` with `basePath`
 * @param completed the name of the requirement, and the data for the events `createUser` and `signIn`, which must be JSON
 * @throws TypeError if there is no such requirement; AuthError if the host is not trusted; ConfigurationError
 * @example
 * app.post("/terms", (c) => completeRequirement(c.req.raw, config, { name: "terms", data: { version: 3 } }))
 */
export async function completeRequirement(
  request: Request,
  config: AuthConfig,
  { name, data }: { readonly name: string; readonly data?: unknown },
): Promise<Response> {
  const runtime = requireRuntime(config)
  const call = await parsePageRequest(request, runtime)
  return toResponse(await continueSignIn({ name, data }, call, runtime), call)
}

import { dispatch } from "./actions/dispatch.js"
import type { AuthConfig } from "./config/auth-config.js"
import { DEFAULT_BASE_PATH } from "./config/defaults.js"
import type { AuthCall } from "./http/call.js"
import type { Reply } from "./http/reply.js"
import { parseRequest, type ServerInfo } from "./http/request.js"
import { type ResponseInternal, toRaw, toResponse } from "./http/response.js"
import { type Runtime, runtimeWithoutEnv } from "./runtime/runtime.js"
import type { raw } from "./symbols.js"

/** A parsed request and the reply to it. */
export interface HandledRequest {
  readonly call: AuthCall
  readonly reply: Reply
}

/** Returns the origin, base path and cookie set for a web request. The origin is that of the request's URL. */
export function serverInfoFrom(request: Request, runtime: Runtime): ServerInfo {
  const { origin } = new URL(request.url)
  return { origin, basePath: runtime.config.basePath ?? DEFAULT_BASE_PATH, cookieSet: runtime.cookieSetFor(origin) }
}

/** Parses a request and runs its action. */
export async function handleRequest(request: Request, server: ServerInfo, runtime: Runtime): Promise<HandledRequest> {
  const call = await parseRequest(request, server)
  return { call, reply: await dispatch(call, runtime) }
}

/**
 * Handles a web `Request` to one of this package's endpoints and returns the `Response`. With `config.raw = raw`,
 * `Auth` returns data instead, and throws errors. A request with the header `X-Auth-Return-Redirect` gets a `Response`
 * even then.
 *
 * Environment variables do not set options, so set `secret` and `trustHost`. Only `NODE_ENV` and `DEBUG` are read. The
 * site's origin is the origin of the request's URL. If the configuration is invalid, the response has status 500 and
 * the log contains the first problem.
 *
 * @param config the configuration. It is checked at the first call, and again if one of its top-level options changes
 * @example
 * const response = await Auth(request, { providers: [GitHub], secret, trustHost: ["example.com"], basePath: "/auth" })
 */
export async function Auth(request: Request, config: AuthConfig & { raw: typeof raw }): Promise<ResponseInternal>
export async function Auth(request: Request, config: AuthConfig): Promise<Response>
export async function Auth(request: Request, config: AuthConfig): Promise<Response | ResponseInternal> {
  const runtime = runtimeWithoutEnv(config)
  const { call, reply } = await handleRequest(request, serverInfoFrom(request, runtime), runtime)
  return runtime.config.isRaw && !call.wantsJson ? toRaw(reply, call) : toResponse(reply, call)
}

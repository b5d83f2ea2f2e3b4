import { answer } from "./actions/answer.js"
import { DEFAULT_BASE_PATH } from "./config/defaults.js"
import type { AuthCall } from "./http/call.js"
import type { Reply } from "./http/reply.js"
import { type Entry, parseRequest } from "./http/request.js"
import { toRaw, toResponse } from "./http/response.js"
import { type Runtime, runtimeWithoutEnv } from "./runtime.js"
import type { raw } from "./symbols.js"
import type { AuthConfig, ResponseInternal } from "./types.js"

/** A request as it was understood, and its answer. */
export interface Served {
  readonly call: AuthCall
  readonly reply: Reply
}

/** Where a bare web request says that it came in. */
export function entryOf(request: Request, runtime: Runtime, origin = new URL(request.url).origin): Entry {
  return { origin, basePath: runtime.config.basePath ?? DEFAULT_BASE_PATH, cookieSet: runtime.cookieSetFor(origin) }
}

/** Serves a request that came in at `entry`. */
export async function serve(request: Request, entry: Entry, runtime: Runtime): Promise<Served> {
  const call = await parseRequest(request, entry)
  return { call, reply: await answer(call, runtime) }
}

/**
 * The core: turns a web `Request` to one of the authentication's addresses into a `Response`.
 *
 * It takes no option from the environment, of which it reads `NODE_ENV` and `DEBUG`: `secret` and `trustHost` must be
 * given. The origin is that of the request.
 * With a wrong configuration it answers with status 500 and logs what to mend.
 *
 * @param config read once and kept as long as its top-level options stay the same
 * @example
 * const response = await Auth(request, { providers: [GitHub], secret, trustHost: ["example.com"], basePath: "/auth" })
 */
export async function Auth(request: Request, config: AuthConfig & { raw: typeof raw }): Promise<ResponseInternal>
export async function Auth(request: Request, config: AuthConfig): Promise<Response>
export async function Auth(request: Request, config: AuthConfig): Promise<Response | ResponseInternal> {
  const runtime = runtimeWithoutEnv(config)
  const entry = entryOf(request, runtime)
  const { call, reply } = await serve(request, entry, runtime)
  return runtime.config.isRaw && !call.wantsJson ? toRaw(reply, call) : toResponse(reply, call)
}

import { answer } from "./actions/answer.js"
import { DEFAULT_BASE_PATH } from "./config/defaults.js"
import type { Reply } from "./http/reply.js"
import { type Entry, parseRequest } from "./http/request.js"
import { toRaw, toResponse } from "./http/response.js"
import { type Runtime, runtimeWithoutEnv } from "./runtime.js"
import type { raw } from "./symbols.js"
import type { AuthConfig, ResponseInternal } from "./types.js"

/** A request's answer, and the response that it is written as. */
export interface Served {
  readonly reply: Reply
  readonly response: Response
}

/** Where a bare web request says that it came in. */
export function entryOf(request: Request, runtime: Runtime, origin = new URL(request.url).origin): Entry {
  return { origin, basePath: runtime.config.basePath ?? DEFAULT_BASE_PATH, cookieSet: runtime.cookieSetFor(origin) }
}

/** Serves a request that came in at `entry`. */
export async function serve(request: Request, entry: Entry, runtime: Runtime): Promise<Served> {
  const call = await parseRequest(request, entry)
  const reply = await answer(call, runtime)
  return { reply, response: toResponse(reply, call) }
}

/**
 * The core: turns a web `Request` to one of the authentication's addresses into a `Response`.
 *
 * It takes nothing from the environment: `secret` and `trustHost` must be given. The origin is that of the request.
 * With a wrong configuration it answers with status 500 and logs what to mend.
 *
 * @param config read once and kept as long as its top-level options stay the same
 * @example
 * const response = await Auth(request, { providers: [GitHub], secret, trustHost: true, basePath: "/auth" })
 */
export async function Auth(request: Request, config: AuthConfig & { raw: typeof raw }): Promise<ResponseInternal>
export async function Auth(request: Request, config: AuthConfig): Promise<Response>
export async function Auth(request: Request, config: AuthConfig): Promise<Response | ResponseInternal> {
  const runtime = runtimeWithoutEnv(config)
  const entry = entryOf(request, runtime)
  if (!runtime.config.isRaw) return (await serve(request, entry, runtime)).response
  const call = await parseRequest(request, entry)
  const reply = await answer(call, runtime)
  return call.wantsJson ? toResponse(reply, call) : toRaw(reply, call)
}

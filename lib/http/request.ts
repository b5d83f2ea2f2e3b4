import { UnknownAction } from "../errors/errors.js"
import { parseAction } from "./action.js"
import { type Body, readBody, toRecord } from "./body.js"
import type { AuthCall } from "./call.js"
import { type CookieSet, parseCookies } from "./cookies.js"

/** The properties of a request that the server determines, such as the site's origin. */
export interface ServerInfo {
  readonly origin: string
  readonly basePath: string
  readonly cookieSet: CookieSet
  readonly clientAddress?: string | undefined
  readonly cspNonce?: string | undefined
  /** The maximum size of the body in bytes. @default 65536 */
  readonly maxBodyBytes?: number | undefined
}

/** The initial `signal` of a call, which never aborts. `runRoute` replaces it. */
const NEVER = new AbortController().signal

/** True if a checkbox was checked. A checkbox without the attribute `value` sends "on". */
const isChecked = (value: unknown): boolean => value === true || value === "true" || value === "on"

/** The maximum length of the form field `required`. A longer value is ignored, because a cookie stores the value. */
const MAX_REQUIRED_LENGTH = 500

const readRequiredQuery = (value: unknown): string =>
  typeof value === "string" && value.length <= MAX_REQUIRED_LENGTH ? value : ""

const NO_BODY: Body = { fields: {} }

/**
 * Parses a request. Never throws: a failure is returned as the call's `problem`, so that all errors are handled in one
 * place.
 */
export async function parseRequest(request: Request, { maxBodyBytes, ...server }: ServerInfo): Promise<AuthCall> {
  const { method, headers } = request
  const cookieHeader = headers.get("cookie")
  const url = new URL(request.url)
  const parsed = parseAction(url.pathname, server.basePath)
  const body = method === "POST" ? await readBody(request, maxBodyBytes) : NO_BODY
  return {
    method,
    url,
    ...server,
    clientAddress: server.clientAddress,
    cspNonce: server.cspNonce,
    base: server.origin + server.basePath,
    action: parsed?.action ?? "error",
    providerId: parsed?.providerId,
    asset: parsed?.asset,
    query: url.search === "" ? {} : toRecord(url.searchParams),
    body: body.fields,
    repeatedFields: body.repeated ?? [],
    headers,
    cookies: parseCookies(cookieHeader),
    cookieHeader,
    userAgent: headers.get("user-agent") ?? undefined,
    wantsJson: headers.has("x-auth-return-redirect"),
    problem: parsed ? body.problem : new UnknownAction("there is no such action", { path: url.pathname }),
    toRequest: () => toRequest(request, body.text),
    callbackUrl: server.origin,
    remember: isChecked(body.fields["remember"]),
    isReauthentication: isChecked(body.fields["reauthenticate"]),
    requiredQuery: readRequiredQuery(body.fields["required"]),
    csrfToken: "",
    signal: NEVER,
  }
}

/** Creates the request that functions of the application receive. Its body is the text that was read. */
function toRequest({ method, url, headers }: Request, text: string | undefined): Request {
  return new Request(url, { method, headers, ...(text !== undefined && { body: text }) })
}

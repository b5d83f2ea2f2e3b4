import { UnknownAction } from "../errors.js"
import { parseAction } from "./action.js"
import { type Body, type BodySource, readBody, toRecord, webSource } from "./body.js"
import type { AuthCall } from "./call.js"
import { type CookieSet, parseCookies } from "./cookies.js"

/** What the server that received a request knows beside it. */
export interface Entry {
  readonly origin: string
  readonly basePath: string
  readonly cookieSet: CookieSet
  readonly clientAddress?: string | undefined
  readonly cspNonce?: string | undefined
}

/** A request as it came in, from the web or from Node. */
export interface Incoming {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  /** Bytes are there already, and as many as the application's own parser let in. Undefined where there is none. */
  readonly body: BodySource | Uint8Array | undefined
}

/** Until somebody has a reason to give up. */
const NEVER = new AbortController().signal

const NO_BODY: Body = { fields: {} }

/** A web request as a call. */
export const parseRequest = ({ method, url, headers, body }: Request, entry: Entry): Promise<AuthCall> =>
  parseIncoming({ method, url, headers, body: body ? webSource(body) : undefined }, entry)

/**
 * A request as a call. It does not throw: what can't be understood becomes the call's `problem`, so that even that
 * leaves by the one exit.
 */
export async function parseIncoming(incoming: Incoming, entry: Entry): Promise<AuthCall> {
  const { method, headers } = incoming
  const cookieHeader = headers.get("cookie")
  const url = new URL(incoming.url)
  const parsed = parseAction(url.pathname, entry.basePath)
  const body = method === "POST" ? await readBody(headers, incoming.body) : NO_BODY
  return {
    method,
    url,
    ...entry,
    clientAddress: entry.clientAddress,
    cspNonce: entry.cspNonce,
    base: entry.origin + entry.basePath,
    action: parsed?.action ?? "error",
    providerId: parsed?.providerId,
    asset: parsed?.asset,
    query: url.search === "" ? {} : toRecord(url.searchParams),
    body: body.fields,
    repeatedFields: body.repeated ?? [],
    headers,
    cookies: parseCookies(cookieHeader),
    cookieHeader,
    wantsJson: headers.has("x-auth-return-redirect"),
    problem: parsed ? body.problem : new UnknownAction("there is no such action", { path: url.pathname }),
    toRequest: () => toRequest(incoming, body.text),
    callbackUrl: entry.origin,
    csrfToken: "",
    signal: NEVER,
  }
}

/** The request, for functions of the application, with its body readable again. */
function toRequest({ method, url, headers }: Incoming, text: string | undefined): Request {
  return new Request(url, { method, headers, ...(text !== undefined && { body: text }) })
}

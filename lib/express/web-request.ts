import { memoize } from "../base/memoize.js"
import { BadRequest } from "../errors/errors.js"
import { parseMediaType } from "../http/body.js"
import type { Runtime } from "../runtime/runtime.js"
import type { NodeRequest } from "./node.js"
import { loadServerPackage } from "./server-package.js"

/** All headers of a request, including repeated ones, without the pseudo-headers of HTTP/2. */
export function toHeaders({ rawHeaders }: NodeRequest): Headers {
  const headers = new Headers()
  const cookies: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = "", value = ""] = [rawHeaders[i], rawHeaders[i + 1]]
    if (name.toLowerCase() === "cookie") cookies.push(value)
    else if (!name.startsWith(":")) headers.append(name, value)
  }
  // Two Cookie headers are one list whose separator is "; ", not ", " (RFC 6265 §5.4, RFC 9113 §8.2.3).
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "))
  return headers
}

/** Converts a parsed body back to form fields; nested values get names with brackets. */
function toForm(value: unknown, name = "", form = new URLSearchParams()): URLSearchParams {
  if (Array.isArray(value)) for (const item of value) toForm(item, name, form)
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) toForm(item, name ? `${name}[${key}]` : key, form)
  } else if (value !== undefined && value !== null) form.append(name, String(value))
  return form
}

const FORM = "application/x-www-form-urlencoded"
const JSON_TYPE = "application/json"

/** A body that a parser has read, serialised again. */
interface ReserializedBody {
  readonly content: string | Uint8Array
  /** The new content type, in UTF-8; undefined if the content is unchanged. */
  readonly type?: string
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0

const isBodyConsumed = (req: NodeRequest): boolean => req.readableDidRead || req.readableEnded || req.destroyed

/** The body that a parser has read; undefined if none did. Parsers that skip a request leave an empty object. */
function parsedBody(req: NodeRequest): ReserializedBody | undefined {
  const { body } = req
  if (body === undefined || body === null || (!isBodyConsumed(req) && isEmpty(body))) return undefined
  if (typeof body === "string" || Buffer.isBuffer(body)) return { content: body }
  const isForm = parseMediaType(req.headers["content-type"]) === FORM
  try {
    return isForm
      ? { content: toForm(body).toString(), type: FORM }
      : { content: JSON.stringify(body), type: JSON_TYPE }
  } catch {
    throw new BadRequest("the body is nested too deeply")
  }
}

const hasBody = ({ headers }: NodeRequest): boolean =>
  Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined

/** Warns once if the body was lost. The request fails because of a missing CSRF token, which hides the cause. */
export function warnIfBodyConsumed(req: NodeRequest, { logger, warnedOnce }: Runtime): void {
  if (
    req.method !== "POST" ||
    !isBodyConsumed(req) ||
    req.body !== undefined ||
    !hasBody(req) ||
    !warnedOnce.addIfAbsent("body")
  )
    return
  logger.warn(
    "body-consumed",
    "other code has read the body of a POST request before the middleware and has not set req.body, so the form's fields and its CSRF token are lost. Mount the middleware before that code, or parse bodies with app.use(express.urlencoded())",
  )
}

/** The body from the connection. If the reader stops, the rest is discarded: pausing would block the connection. */
function connectionBody(req: NodeRequest): ReadableStream<Uint8Array> {
  let stop = () => {}
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    // A chunk is text if other code has called `setEncoding`.
    const onData = (chunk: Uint8Array | string) =>
      controller.enqueue(typeof chunk === "string" ? Buffer.from(chunk) : chunk)
    const onEnd = () => controller.close()
    const onFailure = (error?: unknown) => {
      // HTTP/2 ends a stream after it was reset, and the controller would throw then.
      stop()
      controller.error(error)
    }
    stop = () => void req.off("data", onData).off("end", onEnd)
    // A listener, this one or one of other code, would let the data flow before the body is read.
    req.pause()
    req.on("data", onData).on("end", onEnd).on("error", onFailure).on("close", onFailure)
  }
  return new ReadableStream({ start, pull: () => void req.resume(), cancel: () => stop() }, { highWaterMark: 0 })
}

const knownBody = (content: string | Uint8Array = ""): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      if (content.length > 0) controller.enqueue(Buffer.from(content))
      controller.close()
    },
  })

/** The body of the web request. The core reads only the body of a POST request. */
function toBody(req: NodeRequest, parsed: ReserializedBody | undefined): ReadableStream<Uint8Array> | object {
  const { method } = req
  // `normalizeNodeRequest` ignores the body of these, and a stream is expensive.
  if (method === "GET" || method === "HEAD") return {}
  return method === "POST" && !parsed && !isBodyConsumed(req) ? connectionBody(req) : knownBody(parsed?.content)
}

/**
 * `Request` for `normalizeNodeRequest`, without the signal that it passes: nothing aborts it, and it would double the
 * time that creating a request takes. Defined late, because Node.js loads `Request` at its first use.
 */
const requestGlobals = memoize(() => ({
  Request: class extends Request {
    constructor(url: string, init: RequestInit) {
      super(url, { ...init, signal: null })
    }
  },
}))

/**
 * The methods that a web `Request` keeps unchanged. It rejects these three, and converts "post" to POST, although
 * methods are case-sensitive (RFC 9110 §9.1). The core responds to every unsupported method like to OPTIONS.
 */
const REQUEST_METHOD = /^(?!(?:CONNECT|TRACE|TRACK)$)[A-Z-]+$/

/** A web request, and the size limit of its body if it differs from the default. */
interface WebRequest {
  readonly request: Request
  readonly maxBodyBytes?: number
}

/** Converts a request of `node:http`. `origin` and `target` are the public URL of the request. */
export function toWebRequest(req: NodeRequest, origin: string, target: string): WebRequest {
  const headers = toHeaders(req)
  const { method = "GET" } = req
  const parsed = method === "POST" ? parsedBody(req) : undefined
  // These headers describe the original body.
  if (parsed) for (const name of ["content-length", "transfer-encoding", "content-encoding"]) headers.delete(name)
  if (parsed?.type) headers.set("content-type", parsed.type)
  const [protocol = "", host = ""] = origin.split("://")
  const request = loadServerPackage().normalizeNodeRequest(
    {
      method: REQUEST_METHOD.test(method) ? method : "OPTIONS",
      headers,
      raw: Object.assign(toBody(req, parsed), { protocol, headers: { host }, originalUrl: target }),
    },
    requestGlobals(),
  )
  // The parser has its own size limit.
  return parsed ? { request, maxBodyBytes: Number.POSITIVE_INFINITY } : { request }
}

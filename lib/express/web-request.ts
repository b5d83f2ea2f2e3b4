import { memoize } from "../base/memoize.js"
import { BadRequest } from "../errors/errors.js"
import { parseMediaType } from "../http/body.js"
import type { Runtime } from "../runtime/runtime.js"
import type { NodeRequest } from "./node.js"
import { loadServerPackage } from "./server-package.js"

/** Returns all headers of a request, including repeated headers, without the pseudo-headers of HTTP/2. */
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

/** Converts a parsed body back to form fields. Nested values get names with brackets: `a[b]`. */
function toForm(value: unknown, name = "", form = new URLSearchParams()): URLSearchParams {
  if (Array.isArray(value)) for (const item of value) toForm(item, name, form)
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) toForm(item, name ? `${name}[${key}]` : key, form)
  } else if (value !== undefined && value !== null) form.append(name, String(value))
  return form
}

const FORM_TYPE = "application/x-www-form-urlencoded"
const JSON_TYPE = "application/json"

/** A body that a body parser has read, converted back to text or bytes. */
interface ReserializedBody {
  readonly content: string | Uint8Array
  /** The media type of the converted content, which is in UTF-8; undefined if the content is the original body. */
  readonly type?: string
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0

const isBodyConsumed = (req: NodeRequest): boolean => req.readableDidRead || req.readableEnded || req.destroyed

/**
 * Converts the body that a body parser has read back to text or bytes; returns undefined if no parser has read it. Some
 * parsers set `req.body` to an empty object without reading the body, so an empty object counts only if the body was
 * read.
 */
function reserializeBody(req: NodeRequest): ReserializedBody | undefined {
  const { body } = req
  if (body === undefined || body === null || (!isBodyConsumed(req) && isEmpty(body))) return undefined
  if (typeof body === "string" || Buffer.isBuffer(body)) return { content: body }
  const isForm = parseMediaType(req.headers["content-type"]) === FORM_TYPE
  try {
    return isForm
      ? { content: toForm(body).toString(), type: FORM_TYPE }
      : { content: JSON.stringify(body), type: JSON_TYPE }
  } catch {
    throw new BadRequest("the body is nested too deeply")
  }
}

const hasBody = ({ headers }: NodeRequest): boolean =>
  Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined

/**
 * Warns once if other code has consumed the body and has not set `req.body`. The request then fails because the CSRF
 * token is missing, and this error does not show the cause.
 */
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

/**
 * Returns the body as a stream that reads from the connection. After the stream is cancelled, the rest of the body is
 * discarded, because paused data would block the connection.
 */
function connectionBody(req: NodeRequest): ReadableStream<Uint8Array> {
  let removeListeners = () => {}
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    // A chunk is text if other code has called `setEncoding`.
    const onData = (chunk: Uint8Array | string) =>
      controller.enqueue(typeof chunk === "string" ? Buffer.from(chunk) : chunk)
    const onEnd = () => controller.close()
    const onFailure = (error?: unknown) => {
      // After a reset, HTTP/2 also emits "end". Closing the failed controller would throw an error.
      removeListeners()
      controller.error(error)
    }
    removeListeners = () => void req.off("data", onData).off("end", onEnd)
    // Adding a "data" listener starts the flow of data. Pause first, so that no chunk arrives before the body is read.
    req.pause()
    req.on("data", onData).on("end", onEnd).on("error", onFailure).on("close", onFailure)
  }
  return new ReadableStream(
    { start, pull: () => void req.resume(), cancel: () => removeListeners() },
    { highWaterMark: 0 },
  )
}

/** Returns a stream of content that is already in memory. */
const bufferedBody = (content: string | Uint8Array = ""): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      if (content.length > 0) controller.enqueue(Buffer.from(content))
      controller.close()
    },
  })

/** Returns the body of the web request. It is empty unless the method is POST. */
function toBody(req: NodeRequest, reserialized: ReserializedBody | undefined): ReadableStream<Uint8Array> | object {
  const { method } = req
  // No stream is created for GET and HEAD requests, because it takes time and `normalizeNodeRequest` would ignore it.
  if (method === "GET" || method === "HEAD") return {}
  const readsConnection = method === "POST" && !reserialized && !isBodyConsumed(req)
  return readsConnection ? connectionBody(req) : bufferedBody(reserialized?.content)
}

/**
 * The class `Request` that `normalizeNodeRequest` of `@whatwg-node/server` has to use. The class ignores the `signal`
 * that it receives: nothing aborts that signal, and it would double the time to create a request. The class is defined
 * at its first use, because Node.js loads `Request` only when it is accessed.
 */
const requestGlobals = memoize(() => ({
  Request: class extends Request {
    constructor(url: string, init: RequestInit) {
      super(url, { ...init, signal: null })
    }
  },
}))

/**
 * Matches the methods that the class `Request` accepts and does not change. The class rejects CONNECT, TRACE and TRACK.
 * It converts "post" to POST, although methods are case-sensitive (RFC 9110 §9.1). A method that does not match is
 * passed on as OPTIONS, which the core does not support either.
 */
const REQUEST_METHOD = /^(?!(?:CONNECT|TRACE|TRACK)$)[A-Z-]+$/

/** A web request, and the size limit of its body if that limit differs from the default. */
interface WebRequest {
  readonly request: Request
  readonly maxBodyBytes?: number
}

/** Converts a request of `node:http` to a web request. `origin` and `target` are the public URL of the request. */
export function toWebRequest(req: NodeRequest, origin: string, target: string): WebRequest {
  const headers = toHeaders(req)
  const { method = "GET" } = req
  const reserialized = method === "POST" ? reserializeBody(req) : undefined
  // These headers describe the original body, which the parser has decoded.
  if (reserialized) for (const name of ["content-length", "transfer-encoding", "content-encoding"]) headers.delete(name)
  if (reserialized?.type) headers.set("content-type", reserialized.type)
  const [protocol = "", host = ""] = origin.split("://")
  const request = loadServerPackage().normalizeNodeRequest(
    {
      method: REQUEST_METHOD.test(method) ? method : "OPTIONS",
      headers,
      raw: Object.assign(toBody(req, reserialized), { protocol, headers: { host }, originalUrl: target }),
    },
    requestGlobals(),
  )
  // A parsed body has no size limit here, because the body parser has already applied its own.
  return reserialized ? { request, maxBodyBytes: Number.POSITIVE_INFINITY } : { request }
}

import { BadRequest } from "../errors.js"
import { type BodySource, essenceOf } from "../http/body.js"
import type { Incoming } from "../http/request.js"
import type { Runtime } from "../runtime.js"
import type { NodeRequest } from "./node.js"

/** All headers of a request, repeated ones too, without the pseudo-headers of HTTP/2. */
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

/** Fields as a form writes them; what a parser nested is written with brackets again. */
function toForm(value: unknown, name = "", form = new URLSearchParams()): URLSearchParams {
  if (Array.isArray(value)) for (const item of value) toForm(item, name, form)
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) toForm(item, name ? `${name}[${key}]` : key, form)
  } else if (value !== undefined && value !== null) form.append(name, String(value))
  return form
}

const FORM = "application/x-www-form-urlencoded"
const JSON_TYPE = "application/json"

/** What a parser made of a body, written again. */
interface Rewritten {
  readonly content: string | Uint8Array
  /** What it is now, where that is another thing: the parser has taken care of its charset. */
  readonly type?: string
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0

const wasRead = (req: NodeRequest): boolean => req.readableDidRead || req.readableEnded || req.destroyed

/** The body that a parser left; undefined where none ran. Parsers that pass a request over leave an empty object. */
function parsedBody(req: NodeRequest): Rewritten | undefined {
  const { body } = req
  if (body === undefined || body === null || (!wasRead(req) && isEmpty(body))) return undefined
  if (typeof body === "string" || Buffer.isBuffer(body)) return { content: body }
  const isForm = essenceOf(req.headers["content-type"]) === FORM
  try {
    return isForm
      ? { content: toForm(body).toString(), type: FORM }
      : { content: JSON.stringify(body), type: JSON_TYPE }
  } catch {
    throw new BadRequest("the body is nested too deeply")
  }
}

/** The body as it comes over the wire. What comes after the sink has enough goes nowhere: a pause would hold the connection. */
const streamSource =
  (req: NodeRequest): BodySource =>
  ({ write, end, fail }) => {
    // Text, where somebody has set an encoding.
    const take = (chunk: Uint8Array | string) => write(typeof chunk === "string" ? Buffer.from(chunk) : chunk)
    req.on("data", take).on("end", end).on("error", fail).on("close", fail)
    // Somebody may have paused it, to have time before its body is read.
    req.resume()
    return () => req.off("data", take).off("end", end).off("error", fail).off("close", fail)
  }

const hasBody = ({ headers }: NodeRequest): boolean =>
  Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined

/** Says once that bodies do not arrive: what is missing then is the form's token, which leads to look elsewhere. */
export function noticeBody(req: NodeRequest, { logger, said }: Runtime): void {
  if (req.method !== "POST" || !wasRead(req) || req.body !== undefined || !hasBody(req) || !said.claim("body")) return
  logger.warn(
    "body-consumed",
    "a POST came whose body something before the middleware has read and not left in req.body, so the form's fields and its token are lost. Mount the middleware before it, or read bodies with app.use(express.urlencoded())",
  )
}

/** A request of `node:http`, at the address that the site is known by. */
export function toIncoming(req: NodeRequest, url: string): Incoming {
  const headers = toHeaders(req)
  const method = req.method ?? "GET"
  if (method !== "POST") return { method, url, headers, body: undefined }
  const parsed = parsedBody(req)
  if (!parsed) return { method, url, headers, body: wasRead(req) ? undefined : streamSource(req) }
  if (parsed.type) headers.set("content-type", parsed.type)
  // They speak of the body as it was.
  for (const name of ["content-length", "transfer-encoding", "content-encoding"]) headers.delete(name)
  return { method, url, headers, body: Buffer.from(parsed.content) }
}

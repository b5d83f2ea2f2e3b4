import { Readable } from "node:stream"
import { BadRequest } from "../errors.js"
import type { NodeRequest } from "./node.js"

/** Headers as they came, repeated ones too; those of HTTP/2 that name no header are left out. */
function toHeaders(req: NodeRequest): Headers {
  const headers = new Headers()
  for (let i = 0; i + 1 < req.rawHeaders.length; i += 2) {
    const [name = "", value = ""] = [req.rawHeaders[i], req.rawHeaders[i + 1]]
    if (name.startsWith(":")) continue
    // Two Cookie headers are one list whose separator is "; ", not ", " (RFC 6265 §5.4, RFC 9113 §8.2.3).
    const cookies = name.toLowerCase() === "cookie" && headers.get("cookie")
    if (cookies) headers.set("cookie", `${cookies}; ${value}`)
    else headers.append(name, value)
  }
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

interface Body {
  readonly body?: BodyInit
  /** Is the text another one than came over the wire? */
  readonly isRewritten?: boolean
  /** What it is then: the parser has taken care of its charset. */
  readonly type?: string
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0

/** The body: what a parser made of it when one ran, else the stream. */
function bodyOf(req: NodeRequest): Body {
  const { body } = req
  const wasRead = req.readableDidRead || req.readableEnded
  // Parsers that pass a request over leave an empty object behind.
  if (body === undefined || body === null || (!wasRead && isEmpty(body))) {
    // The body of a Request may be a stream of the web: the types of the two are declared apart.
    return wasRead ? {} : { body: Readable.toWeb(req) as unknown as BodyInit }
  }
  if (typeof body === "string") return { body, isRewritten: true }
  if (Buffer.isBuffer(body)) return { body: new Uint8Array(body), isRewritten: true }
  const isForm = req.headers["content-type"]?.toLowerCase().includes(FORM)
  try {
    return {
      body: isForm ? toForm(body).toString() : JSON.stringify(body),
      type: isForm ? FORM : JSON_TYPE,
      isRewritten: true,
    }
  } catch {
    throw new BadRequest("the body is nested too deeply")
  }
}

/** A request of `node:http` as a web `Request` of this Node, at the address that the site is known by. */
export function toRequest(req: NodeRequest, url: string): Request {
  const headers = toHeaders(req)
  const method = req.method ?? "GET"
  if (method !== "POST") return new Request(url, { method, headers })
  const { body, isRewritten, type } = bodyOf(req)
  if (type) headers.set("content-type", type)
  if (isRewritten) for (const name of ["content-length", "transfer-encoding", "content-encoding"]) headers.delete(name)
  // A stream as body needs it; the types of Node 20 do not know it.
  const sending = { duplex: "half" }
  return new Request(url, { method, headers, ...(body !== undefined && { body }), ...sending })
}

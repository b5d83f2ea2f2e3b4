/**
 * Reads the body of a request, with limits for size and time, so that a client can't exhaust connections or memory.
 *
 * @module
 */
import { withTimeout } from "../base/timeout.js"
import { type AuthError, asAuthError, BadRequest } from "../errors/errors.js"

const MAX_BODY_BYTES = 64 * 1024
const BODY_TIMEOUT_MS = 10_000

/** Decodes UTF-8 and ignores a byte order mark (RFC 8259 §8.1). */
const UTF_8 = new TextDecoder()

/** A parsed body. */
export interface Body {
  readonly fields: Readonly<Record<string, unknown>>
  /** The names of form fields that occur more than once. */
  readonly repeated?: readonly string[]
  readonly text?: string
  readonly problem?: AuthError
}

const badRequest = (message: string, status = 400): AuthError => new BadRequest(message, {}, { status })

const tooLarge = (maxBytes: number) => badRequest(`the body is larger than ${maxBytes} bytes`, 413)
const tooLate = () => badRequest(`the body did not arrive within ${BODY_TIMEOUT_MS / 1000} s`, 408)

/** Converts entries to an object and omits the name `__proto__`. If a name is repeated, the last value is used. */
export function toRecord<T>(entries: Iterable<[string, T]>): Record<string, T> {
  const record: Record<string, T> = {}
  for (const [name, value] of entries) if (name !== "__proto__") record[name] = value
  return record
}

function repeatedNames(form: URLSearchParams): string[] {
  const [names, repeated] = [new Set<string>(), new Set<string>()]
  for (const name of form.keys()) (names.has(name) ? repeated : names).add(name)
  return [...repeated]
}

function readForm(text: string): Body {
  const form = new URLSearchParams(text)
  return { fields: toRecord(form), repeated: repeatedNames(form), text }
}

/**
 * Returns the media type of a `Content-Type`. Ignores the parameters, because a page of another origin can choose them
 * without a CORS preflight, for example `text/plain; a=application/json`.
 */
export const parseMediaType = (type: string | null | undefined): string =>
  type?.split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** Reads and parses the body of a request. Failures are returned as `problem`. */
export async function readBody({ headers, body }: Request, maxBytes = MAX_BODY_BYTES): Promise<Body> {
  const type = parseMediaType(headers.get("content-type"))
  try {
    requireReadable(type, headers, maxBytes)
    const text = body ? await readText(body, maxBytes) : ""
    if (type === "application/json") return { fields: parseJson(text), text }
    if (type === "application/x-www-form-urlencoded") return readForm(text)
    return { fields: {}, text }
  } catch (error) {
    return { fields: {}, problem: asAuthError(error) ?? badRequest("the body can't be read") }
  }
}

function requireReadable(type: string, headers: Headers, maxBytes: number): void {
  if (type.startsWith("multipart/"))
    throw badRequest("multipart bodies are not supported: send application/x-www-form-urlencoded", 415)
  const charset = /charset\s*=\s*"?([\w-]+)/.exec(headers.get("content-type")?.toLowerCase() ?? "")?.[1]
  if (charset && !["utf-8", "utf8", "us-ascii"].includes(charset))
    throw badRequest(`charset ${charset} is not supported: send utf-8`, 415)
  const encoding = headers.get("content-encoding")
  if (encoding && encoding !== "identity") throw badRequest("compressed bodies are not supported", 415)
  if (Number(headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

function parseJson(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = text.trim() === "" ? {} : JSON.parse(text)
  } catch {
    throw badRequest("the body is not JSON")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badRequest("the body is not a JSON object")
  return toRecord(Object.entries(value))
}

async function readText(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> {
  const reader = stream.getReader()
  try {
    return await withTimeout(readToEnd(reader, maxBytes), BODY_TIMEOUT_MS, tooLate)
  } finally {
    // `cancel` may never settle, so it is not awaited.
    void reader.cancel().catch(() => {})
  }
}

async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return UTF_8.decode(Buffer.concat(chunks))
    // At run time the stream may contain values other than bytes, for which the size limit would not work.
    if (!ArrayBuffer.isView(value)) throw badRequest("the body's stream must contain bytes")
    size += value.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(value)
  }
}

/**
 * The body of a request, within the bounds of size and time, so that nobody can hold a connection or the memory.
 *
 * @module
 */
import { type AuthError, asAuthError, BadRequest } from "../errors.js"

const MAX_BODY_BYTES = 64 * 1024
const BODY_TIMEOUT_MS = 10_000

/** Without the mark that some write before it (RFC 8259 §8.1). */
const UTF_8 = new TextDecoder()

/** What hears a body as it comes. */
export interface BodySink {
  readonly write: (chunk: Uint8Array) => void
  readonly end: () => void
  readonly fail: (error: unknown) => void
}

/** Tells a sink what comes, and returns a function that stops the telling. */
export type BodySource = (sink: BodySink) => () => void

/** A body as it was understood. */
export interface Body {
  readonly fields: Readonly<Record<string, unknown>>
  /** Names that a form has more than once. */
  readonly repeated?: readonly string[]
  readonly text?: string
  readonly problem?: AuthError
}

const badRequest = (message: string, status = 400): AuthError => Object.assign(new BadRequest(message), { status })

const tooLarge = () => badRequest(`the body is larger than ${MAX_BODY_BYTES} bytes`, 413)
const tooLate = () => badRequest(`the body did not arrive within ${BODY_TIMEOUT_MS / 1000} s`, 408)

/** A stream of the web. */
export const webSource =
  (stream: ReadableStream<Uint8Array>): BodySource =>
  (sink) => {
    const reader = stream.getReader()
    void pump(reader, sink)
    return () => void reader.cancel().catch(() => {})
  }

async function pump(reader: ReadableStreamDefaultReader<Uint8Array>, { write, end, fail }: BodySink): Promise<void> {
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return end()
      // The types promise bytes. Text has no size that could be held to the bound.
      if (!ArrayBuffer.isView(value)) return fail(badRequest("the body is a stream of something else than bytes"))
      write(value)
    }
  } catch (error) {
    fail(error)
  }
}

/** Entries as an object without a prototype's members; of several with one name the last counts. */
export function toRecord<T>(entries: Iterable<[string, T]>): Record<string, T> {
  const record: Record<string, T> = {}
  for (const [name, value] of entries) if (name !== "__proto__") record[name] = value
  return record
}

function repeatedNames(form: URLSearchParams): string[] {
  const [once, more] = [new Set<string>(), new Set<string>()]
  for (const name of form.keys()) (once.has(name) ? more : once).add(name)
  return [...more]
}

function readForm(text: string): Body {
  const form = new URLSearchParams(text)
  return { fields: toRecord(form), repeated: repeatedNames(form), text }
}

/** A content type without its parameters: a page of another origin may write anything into those. */
export const essenceOf = (type: string | null | undefined): string => type?.split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** Reads a body by what its headers say that it is. */
export async function readBody(headers: Headers, source: BodySource | Uint8Array | undefined): Promise<Body> {
  const type = essenceOf(headers.get("content-type"))
  try {
    requireReadable(type, headers)
    const text = typeof source === "function" ? await readText(source) : UTF_8.decode(source)
    if (type === "application/json") return { fields: parseJson(text), text }
    if (type === "application/x-www-form-urlencoded") return readForm(text)
    return { fields: {}, text }
  } catch (error) {
    return { fields: {}, problem: asAuthError(error) ?? badRequest("the body can't be read") }
  }
}

function requireReadable(type: string, headers: Headers): void {
  if (type.startsWith("multipart/"))
    throw badRequest("multipart bodies are not supported: send application/x-www-form-urlencoded", 415)
  const charset = /charset\s*=\s*"?([\w-]+)/.exec(headers.get("content-type")?.toLowerCase() ?? "")?.[1]
  if (charset && !["utf-8", "utf8", "us-ascii"].includes(charset))
    throw badRequest(`charset ${charset} is not supported: send utf-8`, 415)
  const encoding = headers.get("content-encoding")
  if (encoding && encoding !== "identity") throw badRequest("compressed bodies are not supported", 415)
  if (Number(headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge()
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

function readText(source: BodySource): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  let stop = () => {}
  const chunks: Uint8Array[] = []
  const whole = new Promise<void>((resolve, reject) => {
    let size = 0
    const write = (chunk: Uint8Array) => {
      size += chunk.byteLength
      if (size > MAX_BODY_BYTES) reject(tooLarge())
      else chunks.push(chunk)
    }
    timer = setTimeout(() => reject(tooLate()), BODY_TIMEOUT_MS)
    stop = source({ write, end: resolve, fail: reject })
  })
  return whole
    .then(() => UTF_8.decode(Buffer.concat(chunks)))
    .finally(() => {
      clearTimeout(timer)
      stop()
    })
}

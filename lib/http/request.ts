import { type AuthError, asAuthError, BadRequest, UnknownAction } from "../errors.js"
import { parseAction } from "./action.js"
import type { AuthCall } from "./call.js"
import { type CookieSet, parseCookies } from "./cookies.js"

export const MAX_BODY_BYTES = 64 * 1024
export const BODY_TIMEOUT_MS = 10_000

/** What the server that received a request knows beside it. */
export interface Entry {
  readonly origin: string
  readonly basePath: string
  readonly cookieSet: CookieSet
  readonly clientAddress?: string | undefined
  readonly cspNonce?: string | undefined
}

/** Until somebody has a reason to give up. */
const NEVER = new AbortController().signal

/**
 * A web request as a call. It does not throw: what can't be understood becomes the call's `problem`, so that even
 * that leaves by the one exit.
 */
export async function parseRequest(request: Request, entry: Entry): Promise<AuthCall> {
  const url = new URL(request.url)
  const parsed = parseAction(url.pathname, entry.basePath)
  const body = await readBody(request)
  return {
    method: request.method,
    url,
    ...entry,
    clientAddress: entry.clientAddress,
    cspNonce: entry.cspNonce,
    base: entry.origin + entry.basePath,
    action: parsed?.action ?? "error",
    providerId: parsed?.providerId,
    asset: parsed?.asset,
    query: toRecord(url.searchParams),
    body: body.fields,
    headers: request.headers,
    cookies: parseCookies(request.headers.get("cookie")),
    wantsJson: request.headers.has("x-auth-return-redirect"),
    problem: parsed ? body.problem : new UnknownAction("there is no such action", { path: url.pathname }),
    toRequest: () => rebuild(request, body.text),
    callbackUrl: entry.origin,
    csrfToken: "",
    signal: NEVER,
  }
}

interface Body {
  readonly fields: Readonly<Record<string, unknown>>
  readonly text?: string
  readonly problem?: AuthError
}

/** The same request with its body readable again. */
function rebuild(request: Request, text: string | undefined): Request {
  const { url, method, headers } = request
  return new Request(url, {
    method,
    headers,
    ...(text !== undefined && method !== "GET" && method !== "HEAD" && { body: text }),
  })
}

/** Entries as an object without a prototype's members; of several with one name the last counts. */
function toRecord(entries: Iterable<[string, string]>): Record<string, string> {
  return Object.fromEntries([...entries].filter(([name]) => name !== "__proto__"))
}

const badRequest = (message: string, status = 400): AuthError => Object.assign(new BadRequest(message), { status })

const NO_FIELDS: Body = { fields: {} }

async function readBody(request: Request): Promise<Body> {
  if (request.method !== "POST") return NO_FIELDS
  const type = request.headers.get("content-type")?.toLowerCase() ?? ""
  try {
    requireReadable(type, request.headers.get("content-encoding"))
    const text = await readText(request)
    if (type.includes("application/json")) return { fields: parseJson(text), text }
    if (type.includes("application/x-www-form-urlencoded")) return { fields: toRecord(new URLSearchParams(text)), text }
    return { fields: {}, text }
  } catch (error) {
    return { fields: {}, problem: asAuthError(error) ?? badRequest("the body can't be read") }
  }
}

function requireReadable(type: string, encoding: string | null): void {
  if (type.includes("multipart/"))
    throw badRequest("multipart bodies are not supported: send application/x-www-form-urlencoded", 415)
  const charset = /charset\s*=\s*"?([\w-]+)/.exec(type)?.[1]
  if (charset && !["utf-8", "utf8", "us-ascii"].includes(charset))
    throw badRequest(`charset ${charset} is not supported: send utf-8`, 415)
  if (encoding && encoding !== "identity") throw badRequest("compressed bodies are not supported", 415)
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
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== "__proto__"))
}

/** Reads within the bounds of size and time, so that nobody can hold a connection or the memory. */
async function readText(request: Request): Promise<string> {
  const tooLarge = () => badRequest(`the body is larger than ${MAX_BODY_BYTES} bytes`, 413)
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  if (!request.body) return ""
  const reader = request.body.getReader()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    reader.cancel().catch(() => {})
  }, BODY_TIMEOUT_MS)
  try {
    const chunks: Uint8Array[] = []
    for (let size = 0; ; ) {
      const { done, value } = await reader.read()
      if (isLate) throw badRequest(`the body did not arrive within ${BODY_TIMEOUT_MS / 1000} s`, 408)
      if (done) return Buffer.concat(chunks).toString("utf8")
      size += value.byteLength
      if (size > MAX_BODY_BYTES) throw tooLarge()
      chunks.push(value)
    }
  } finally {
    clearTimeout(timer)
    reader.cancel().catch(() => {})
  }
}

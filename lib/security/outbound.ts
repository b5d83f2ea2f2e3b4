import { Fault } from "../error-codes.js"
import { isError } from "../errors.js"

/** Bounds of every call that leaves the process. */
export const OUTBOUND_TIMEOUT_MS = 8_000
const OUTBOUND_MAX_BYTES = 1_000_000

/** Reads a body to its end, within the bound; the socket is let go when it is exceeded, or when the signal says so. */
async function readBounded(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer<ArrayBuffer>> {
  const reader = body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  const chunks: Uint8Array[] = []
  let size = 0
  signal.addEventListener("abort", stop)
  if (signal.aborted) stop()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      // A body that was stopped looks as if it had come to its end.
      if (signal.aborted) throw signal.reason
      if (done) return Buffer.concat(chunks)
      size += value.byteLength
      if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`)
      chunks.push(value)
    }
  } catch (error) {
    stop()
    throw error
  } finally {
    signal.removeEventListener("abort", stop)
  }
}

/** Statuses whose answers have no body. */
const BODILESS = new Set([101, 204, 205, 304])

const urlOf = (input: string | URL | Request): string => (input instanceof Request ? input.url : String(input))

/**
 * A `fetch` for calls to a provider: one deadline for connecting, waiting and reading, a bounded body, and no redirect
 * followed (RFC 9700 §4.11: tokens and codes must not be carried to another address).
 */
export function boundedFetch(fetch: typeof globalThis.fetch, deadline: AbortSignal): typeof globalThis.fetch {
  return async (input, init) => {
    const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline
    try {
      const response = await raceWith(fetch(input, { ...init, redirect: "manual", signal }), signal)
      const body = response.body && (await readBounded(response.body, OUTBOUND_MAX_BYTES, signal))
      const { status, headers } = response
      // Without the words beside the status: in the letters of another alphabet they can't be written again.
      return new Response(BODILESS.has(status) ? null : body, { status, headers })
    } catch (cause) {
      const { origin, pathname } = new URL(urlOf(input))
      const late = signal.aborted ? `no complete answer within ${OUTBOUND_TIMEOUT_MS / 1000} s` : undefined
      throw new Fault("provider-unreachable", `${origin}${pathname}: ${late ?? reasonOf(cause)}`, { cause })
    }
  }
}

/** `fetch` hides what happened one level down. */
function reasonOf(error: unknown): string {
  if (!isError(error)) return "the request failed"
  const inner = error.cause
  if (!isError(inner)) return error.message
  const code: unknown = Reflect.get(inner, "code")
  return inner.message || (typeof code === "string" ? code : error.message)
}

/** The promise, or the signal's reason when that comes first: a custom fetch may not heed its signal. */
export function raceWith<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => {})
    return Promise.reject(signal.reason)
  }
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener("abort", stop)
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })
}

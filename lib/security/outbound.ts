import { CodedError } from "../errors/error-codes.js"
import { isError } from "../errors/errors.js"

/** The time limit of a request to a provider, including its response body. */
export const OUTBOUND_TIMEOUT_MS = 8_000
/** The maximum size of a response body. */
const OUTBOUND_MAX_BYTES = 1_000_000

/** Reads a body of at most `maxBytes`. Closes the connection if the body is larger, or when the signal aborts. */
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
      // A cancelled body ends like a complete body.
      if (signal.aborted) throw signal.reason
      if (done) return Buffer.concat(chunks)
      size += value.byteLength
      if (size > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`)
      chunks.push(value)
    }
  } catch (error) {
    stop()
    throw error
  } finally {
    signal.removeEventListener("abort", stop)
  }
}

/** The statuses of responses without a body. */
const BODILESS = new Set([101, 204, 205, 304])

const requestUrl = (input: string | URL | Request): string => (input instanceof Request ? input.url : String(input))

/**
 * Returns a `fetch` for requests to a provider. One deadline applies to connecting, waiting and reading, and the size
 * of the body is limited. Redirects are not followed, because tokens and codes must not be sent to another address (RFC
 * 9700 §4.11).
 */
export function boundedFetch(fetch: typeof globalThis.fetch, deadline: AbortSignal): typeof globalThis.fetch {
  return async (input, init) => {
    const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline
    try {
      // A custom `fetch` may ignore its signal.
      signal.throwIfAborted()
      const response = await raceWith(fetch(input, { ...init, redirect: "manual", signal }), signal)
      const body = response.body && (await readBounded(response.body, OUTBOUND_MAX_BYTES, signal))
      const { status, headers } = response
      // Leave out the status text: `Response` rejects one with non-Latin characters.
      return new Response(BODILESS.has(status) ? null : body, { status, headers })
    } catch (cause) {
      const { origin, pathname } = new URL(requestUrl(input))
      const timeout = signal.aborted ? "no complete response in time" : undefined
      const reason = timeout ?? describeFailure(cause)
      throw new CodedError("provider-unreachable", `${origin}${pathname}: ${reason}`, { cause })
    }
  }
}

/** Returns the message of a failure. An error of `fetch` has the actual failure as its `cause`. */
function describeFailure(error: unknown): string {
  if (!isError(error)) return "the request failed"
  const { cause } = error
  if (!isError(cause)) return error.message
  const code: unknown = Reflect.get(cause, "code")
  return cause.message || (typeof code === "string" ? code : error.message)
}

/**
 * Settles as the promise does, or rejects as soon as the signal aborts. Needed because a custom `fetch` may ignore its
 * signal.
 */
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

import { isError } from "../errors.js"

/** Bounds of every call that leaves the process. */
export const OUTBOUND_TIMEOUT_MS = 8_000
export const OUTBOUND_MAX_BYTES = 1_000_000

/** Reads a body to its end, within the bound; the socket is let go when it is exceeded. */
async function readBounded(response: Response, maxBytes: number, signal: AbortSignal): Promise<Buffer<ArrayBuffer>> {
  if (!response.body) return Buffer.alloc(0)
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
  })
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted])
      if (done) return Buffer.concat(chunks)
      size += value.byteLength
      if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`)
      chunks.push(value)
    }
  } finally {
    aborted.catch(() => {})
    reader.cancel().catch(() => {})
  }
}

const urlOf = (input: string | URL | Request): string => (input instanceof Request ? input.url : String(input))

/**
 * A `fetch` for calls to a provider: one deadline for connecting, waiting and reading, a bounded body, and no redirect
 * followed (RFC 9700 §4.11: tokens and codes must not be carried to another address).
 */
export function boundedFetch(fetch: typeof globalThis.fetch, deadline: AbortSignal): typeof globalThis.fetch {
  return async (input, init) => {
    const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline
    const { origin, pathname } = new URL(urlOf(input))
    try {
      const response = await raceWith(fetch(input, { ...init, redirect: "manual", signal }), signal)
      const body = await readBounded(response, OUTBOUND_MAX_BYTES, signal)
      const empty = [101, 204, 205, 304].includes(response.status)
      return new Response(empty ? null : body, response)
    } catch (cause) {
      const late = signal.aborted ? `no complete answer within ${OUTBOUND_TIMEOUT_MS / 1000} s` : undefined
      throw new Error(`${origin}${pathname}: ${late ?? reasonOf(cause)}`, { cause })
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
    signal.addEventListener("abort", stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })
}

/** A recorded response, with the local times of the request and the response. */
export interface RecordedResponse {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly sentAtMs: number
  readonly receivedAtMs: number
}

type Fetch = typeof globalThis.fetch

/** Creates a `fetch` that appends each response to `responses`. */
export function createRecordingFetch(fetch: Fetch): { fetch: Fetch; responses: readonly RecordedResponse[] } {
  const responses: RecordedResponse[] = []
  return {
    responses,
    async fetch(input, init) {
      const sentAtMs = Date.now()
      const response = await fetch(input, init)
      const receivedAtMs = Date.now()
      const { status, headers } = response
      const text = await response.clone().text()
      const url = input instanceof Request ? input.url : String(input)
      responses.push({ url, status, headers, text, sentAtMs, receivedAtMs })
      return response
    },
  }
}

/** Returns the JSON object in a response; undefined if the response contains anything else. */
export function parseObject({ text }: RecordedResponse): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the seconds by which the remote clock is ahead of the local clock, from the `Date` header (RFC 9110 §6.6.1),
 * or undefined without this header. The header has whole seconds, so half a second is added. For a cached response, the
 * seconds for which it was stored (`Age`) are added too.
 */
export function secondsAhead({ headers, sentAtMs, receivedAtMs }: RecordedResponse): number | undefined {
  const date = Date.parse(headers.get("date") ?? "")
  if (Number.isNaN(date)) return undefined
  const age = Number(headers.get("age") ?? 0) || 0
  const remoteMs = date + 500 + age * 1000
  return Math.round((remoteMs - (sentAtMs + receivedAtMs) / 2) / 1000)
}

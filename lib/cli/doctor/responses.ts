/** A recorded response. Its content shows the cause of a failure, and its times show a wrong clock. */
export interface RecordedResponse {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly sentAtMs: number
  readonly receivedAtMs: number
}

type Fetch = typeof globalThis.fetch

/** Creates a `fetch` that records its responses, the latest last. */
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

/** Parses the JSON object of a response; undefined for anything else. */
export function parseObject({ text }: RecordedResponse): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the seconds by which the remote clock is ahead, from the `Date` header (RFC 9110 §6.6.1); undefined without one. The
 * header has whole seconds. For a cached response, `Age` states how long it was stored.
 */
export function secondsAhead({ headers, sentAtMs, receivedAtMs }: RecordedResponse): number | undefined {
  const date = Date.parse(headers.get("date") ?? "")
  if (Number.isNaN(date)) return undefined
  const age = Number(headers.get("age") ?? 0) || 0
  const remoteMs = date + 500 + age * 1000
  return Math.round((remoteMs - (sentAtMs + receivedAtMs) / 2) / 1000)
}

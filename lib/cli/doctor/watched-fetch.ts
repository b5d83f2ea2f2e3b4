/** What an address answered, and when: enough to tell why something failed, and whose clock is wrong. */
export interface Answer {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly sentAtMs: number
  readonly receivedAtMs: number
}

/** A `fetch` that keeps its answers, the latest last. */
export function watchedFetch(fetch: typeof globalThis.fetch): { fetch: typeof fetch; answers: readonly Answer[] } {
  const answers: Answer[] = []
  return {
    answers,
    async fetch(input, init) {
      const sentAtMs = Date.now()
      const response = await fetch(input, init)
      const receivedAtMs = Date.now()
      const { status, headers } = response
      const text = await response.clone().text()
      answers.push({
        url: input instanceof Request ? input.url : String(input),
        status,
        headers,
        text,
        sentAtMs,
        receivedAtMs,
      })
      return response
    },
  }
}

/**
 * Seconds by which the clock over there is ahead of ours, by its `Date` header (RFC 9110 §6.6.1); undefined without one.
 * The header has whole seconds, and one that was kept on the way tells by `Age` for how long.
 */
export function secondsAhead({ headers, sentAtMs, receivedAtMs }: Answer): number | undefined {
  const date = Date.parse(headers.get("date") ?? "")
  if (Number.isNaN(date)) return undefined
  const age = Number(headers.get("age") ?? 0) || 0
  const there = date + 500 + age * 1000
  return Math.round((there - (sentAtMs + receivedAtMs) / 2) / 1000)
}

/** The answer as JSON, where it is an object. */
export function objectIn({ text }: Answer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

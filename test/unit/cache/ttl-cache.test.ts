import { setTimeout as pause } from "node:timers/promises"
import { createTtlCache } from "../../../lib/cache/ttl-cache.js"

const HOUR_MS = 3_600_000

function create(ttlSeconds: number) {
  const time = { now: Date.parse("2030-01-01T00:00:00Z") }
  return { time, cache: createTtlCache<string>(ttlSeconds, () => time.now) }
}

describe("createTtlCache", () => {
  it("returns an entry for a minute at most", () => {
    const { time, cache } = create(3_600)
    cache.set("key", "value")
    time.now += 59_999
    expect(cache.get("key")).toBe("value")
    time.now++
    expect(cache.get("key")).toBeUndefined()
  })

  it("expires an entry on time even if the clock is set back", async () => {
    const { time, cache } = create(0.2)
    cache.set("key", "value")
    time.now -= HOUR_MS
    expect(cache.get("key")).toBe("value")
    await pause(210)
    expect(cache.get("key")).toBeUndefined()
  })
})

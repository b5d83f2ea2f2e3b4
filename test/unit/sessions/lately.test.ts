import { setTimeout as pause } from "node:timers/promises"
import { createLately } from "../../../lib/sessions/lately.js"

const HOUR_MS = 3_600_000

function create(atMostSeconds: number) {
  const time = { now: Date.parse("2030-01-01T00:00:00Z") }
  return { time, lately: createLately<string>(atMostSeconds, () => time.now) }
}

describe("what was made of a token lately", () => {
  it("is given for a minute at most", () => {
    const { time, lately } = create(3_600)
    lately.set("old", "new")
    time.now += 59_999
    expect(lately.get("old")).toBe("new")
    time.now++
    expect(lately.get("old")).toBeUndefined()
  })

  it("is given no longer, and no shorter, when the clock is set back", async () => {
    const { time, lately } = create(0.2)
    lately.set("old", "new")
    time.now -= HOUR_MS
    expect(lately.get("old")).toBe("new")
    await pause(210)
    expect(lately.get("old")).toBeUndefined()
  })
})

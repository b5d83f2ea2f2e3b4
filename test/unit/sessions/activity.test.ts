import { createActivityCheck } from "../../../lib/sessions/activity.js"

describe("isActive", () => {
  it("is called once for each of 50,000 sessions that are read in turn three times within a minute", async () => {
    let calls = 0
    const activity = createActivityCheck({ isActive: async () => Boolean(++calls) })
    for (let round = 0; round < 3; round++)
      for (let i = 0; i < 50_000; i++) await activity?.isActive(`session-${i}`, async () => ({ id: String(i) }))
    expect(calls).toBe(50_000)
  })
})

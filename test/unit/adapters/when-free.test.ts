import { whenFree } from "../../../lib/adapters/sql/faults.js"
import { setClockBack } from "../../support/set-clock-back.js"

afterEach(() => void jest.restoreAllMocks())

describe("an SQLite file that another connection writes to", () => {
  const attempts = { left: 0 }
  const work = async () => {
    if (attempts.left-- > 0) throw new Error("database is locked")
    return "written"
  }

  it("is tried again until it is free", async () => {
    attempts.left = 2
    expect(await whenFree(work)).toBe("written")
  })

  it("is waited for no longer because the clock is set back meanwhile", async () => {
    attempts.left = 20
    setClockBack({ eachReadTakesMs: 1_000 })
    await expect(whenFree(work)).rejects.toThrow("database is locked")
    expect(attempts.left).toBeGreaterThan(10)
  })
})

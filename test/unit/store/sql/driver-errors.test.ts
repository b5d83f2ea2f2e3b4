import { retryWhileBusy } from "../../../../lib/store/sql/driver-errors.js"
import { setClockBack } from "../../../support/set-clock-back.js"

afterEach(() => void jest.restoreAllMocks())

describe("retryWhileBusy", () => {
  const attempts = { left: 0 }
  const work = async () => {
    if (attempts.left-- > 0) throw new Error("database is locked")
    return "written"
  }

  it("retries the work until the SQLite file is no longer locked", async () => {
    attempts.left = 2
    expect(await retryWhileBusy(work)).toBe("written")
  })

  it("stops retrying after the time limit even if the clock is set back", async () => {
    attempts.left = 20
    setClockBack({ eachReadTakesMs: 1_000 })
    await expect(retryWhileBusy(work)).rejects.toThrow("database is locked")
    expect(attempts.left).toBeGreaterThan(10)
  })
})

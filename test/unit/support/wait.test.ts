import { until } from "../../support/wait.js"

it("waits for the condition and gives what it found", async () => {
  let count = 0
  expect(await until(() => ++count === 3 && "found")).toBe("found")
  expect(await until(async () => ++count)).toBe(4)
})

it("gives up and names the condition", async () => {
  await expect(until(() => "never" === String(1), 20)).rejects.toThrow(/within 20 ms: .*never/)
})

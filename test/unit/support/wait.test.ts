import { until } from "../../support/wait.js"

it("until() returns the first truthy result of the condition", async () => {
  let count = 0
  expect(await until(() => ++count === 3 && "found")).toBe("found")
  expect(await until(async () => ++count)).toBe(4)
})

it("until() throws an error that names the condition after the time limit", async () => {
  await expect(until(() => "never" === String(1), 20)).rejects.toThrow(/within 20 ms: .*never/)
})

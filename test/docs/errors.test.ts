import { execFileSync } from "node:child_process"

it("docs/errors is up to date", () => {
  expect(() => execFileSync(process.execPath, ["scripts/errors.mjs", "--check"], { stdio: "pipe" })).not.toThrow()
})

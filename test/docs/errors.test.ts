import { execFileSync } from "node:child_process"

it("the type of the codes and the list of docs/errors are up to date", () => {
  expect(() => execFileSync(process.execPath, ["scripts/errors.mjs", "--check"], { stdio: "pipe" })).not.toThrow()
})

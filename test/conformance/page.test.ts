import { execFileSync } from "node:child_process"

it("docs/conformance.md is up to date", () => {
  expect(() => execFileSync(process.execPath, ["scripts/conformance.mjs", "--check"], { stdio: "pipe" })).not.toThrow()
})

import { execFileSync } from "node:child_process"

it("docs/conformance.md has the modules as they are tested, all of them passed", () => {
  expect(() => execFileSync(process.execPath, ["scripts/conformance.mjs", "--check"], { stdio: "pipe" })).not.toThrow()
})

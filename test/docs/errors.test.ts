import { execFileSync } from "node:child_process"

it("docs/errors has the pages that the table of codes makes", () => {
  expect(() => execFileSync(process.execPath, ["scripts/errors.mjs", "--check"], { stdio: "pipe" })).not.toThrow()
})

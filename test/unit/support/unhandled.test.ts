import { execFile } from "node:child_process"
import { join } from "node:path"

const ROOT = join(__dirname, "../../..")

/** Runs a test file that must fail, and returns its report. */
function runFixture(name: string): Promise<string> {
  const jest = join(ROOT, "node_modules/jest/bin/jest.js")
  const args = [jest, "--rootDir", ROOT, "--reporters", "default", "--testMatch", `**/${name}`]
  return new Promise((resolve) => execFile(process.execPath, args, { cwd: ROOT }, (_, out, err) => resolve(out + err)))
}

it("failOnUnhandled fails each test that leaves a rejection or an exception unhandled, and no other", async () => {
  const report = await runFixture("unhandled.fixture.ts")
  expect(report).toContain("Tests:       2 failed, 2 passed, 4 total")
  expect(report).toContain("unhandled: Error: forgotten")
  expect(report).toContain("unhandled: Error: thrown aside")
})

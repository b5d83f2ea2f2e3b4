import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"

const ROOT = join(__dirname, "../../..")
const TSC = createRequire(__filename).resolve("typescript/bin/tsc")

/** What the compiler says of a project, less what packages of others have wrong in their own declarations. */
function complaints(project: string): Promise<string[]> {
  return new Promise((resolve) => {
    const args = [TSC, "--noEmit", "--pretty", "false", "-p", join(__dirname, project)]
    // The compiler ends with a status of its own when it complains: what it says is what counts.
    execFile(process.execPath, args, { cwd: ROOT, maxBuffer: 1e7 }, (_error, stdout, stderr) =>
      resolve(`${stdout}${stderr}`.split("\n").filter((line) => line !== "" && !/^(node_modules\/|\s)/.test(line))),
    )
  })
}

it.each([
  ["without exactOptionalPropertyTypes, as most applications have it", "tsconfig.json"],
  ["with skipLibCheck off, so that our declarations are checked too", "tsconfig.libs.json"],
])("compiles an application %s", async (_, project) => expect(await complaints(project)).toEqual([]), 120_000)

it("says what is wrong in a project that is", async () => {
  expect(await complaints("tsconfig.nothing.json")).toEqual([expect.stringContaining("TS5058")])
}, 120_000)

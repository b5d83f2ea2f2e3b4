import { spawn } from "node:child_process"
import { once } from "node:events"

it("`npm run soak` reports no errors while users sign in and out", async () => {
  const child = spawn(process.execPath, ["scripts/soak.mjs", "0.1", "--rate", "60"])
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text))
  const [code] = await once(child, "close")
  const [, requests, errors] = /^\s*all\s+(\d+)\s+(\d+)/m.exec(output) ?? []
  expect({ errors, output }).toEqual({ errors: "0", output: expect.stringContaining("RSS after the warm-up") })
  expect(Number(requests)).toBeGreaterThan(50)
  expect(code).toBe(0)
}, 60_000)

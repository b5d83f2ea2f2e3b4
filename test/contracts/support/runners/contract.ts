/** Runs the adapter tests in their own process: with `node --test` on the built file, or as a script. */
import { test } from "node:test"
import { MemoryAdapter } from "../../../../lib/adapters/memory.js"
import { type AdapterTestOptions, adapterCases, testAdapter } from "../../../../lib/adapters/testing.js"
import { brokenAdapter, mapped, withResults } from "../broken/defect.js"

/** Converts local time back and forth. One hour occurs twice in autumn, and another is skipped in spring. */
const toLocalTime = (date: Date): Date =>
  new Date(
    ...([
      date.getFullYear(),
      date.getMonth(),
      date.getDate(),
      date.getHours(),
      date.getMinutes(),
      date.getSeconds(),
      date.getMilliseconds(),
    ] as [number, number, number, number, number, number, number]),
  )

const options: AdapterTestOptions = {
  complete: true,
  passkeys: true,
  create: () =>
    process.env["ADAPTER"] === "local-time"
      ? brokenAdapter({
          name: "stores the local time without its zone",
          foundBy: [],
          change: (good) =>
            withResults(good, (record) =>
              mapped(record, (_, value) => (value instanceof Date ? toLocalTime(value) : value)),
            ),
        })
      : { adapter: MemoryAdapter() },
}

async function bareLoop(): Promise<void> {
  for (const { name, run } of adapterCases(options))
    await run().then(
      () => console.log(`ok ${name}`),
      (error: unknown) => console.log(`not ok ${name}: ${String(error)}`),
    )
}

if (process.env["RUNNER"] === "loop") void bareLoop()
else testAdapter(test, options)

import { inspect } from "node:util"
import { adapterOver } from "../../lib/adapters/memory/adapter-over.js"
import { MemoryRows } from "../../lib/adapters/memory/rows.js"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { testAdapter } from "../../lib/adapters/testing.js"

describe("the memory adapter holds the contract", () => {
  testAdapter(it, {
    complete: true,
    passkeys: true,
    create: () => {
      const rows = new MemoryRows(Date.now)
      return {
        adapter: adapterOver(rows),
        dump: () => inspect(rows.save(), { depth: 9, maxArrayLength: null, maxStringLength: null }),
      }
    },
  })
})
void MemoryAdapter

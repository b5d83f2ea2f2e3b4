import { MemoryRows } from "../../../lib/adapters/memory/rows.js"
import { createMemoryAdapter } from "../../../lib/adapters/memory/transactions.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { Store } from "./store.js"

const asText = (value: unknown) =>
  JSON.stringify(value, (_, member: unknown) => (member instanceof Map ? [...member] : member))

/** The memory adapter. */
export const memory: Store = {
  name: "memory",
  async create({ now = Date.now } = {}) {
    const rows = new MemoryRows(now)
    return {
      adapter: createMemoryAdapter(rows, MemoryStore({ now })),
      dump: async () => asText(rows.save()),
      async counts() {
        const { users, accounts, sessions, links } = rows.save()
        return { users: users.size, accounts: accounts.size, sessions: sessions.size, links: links.size }
      },
      close: async () => {},
    }
  },
}

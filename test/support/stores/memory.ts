import { adapterOver } from "../../../lib/adapters/memory/adapter-over.js"
import { MemoryRows } from "../../../lib/adapters/memory/rows.js"
import type { Store } from "./store.js"

const asText = (value: unknown) =>
  JSON.stringify(value, (_, member: unknown) => (member instanceof Map ? [...member] : member))

/** The store in the memory of this process. */
export const memory: Store = {
  name: "memory",
  async create({ now = Date.now } = {}) {
    const rows = new MemoryRows(now)
    return {
      adapter: adapterOver(rows),
      dump: async () => asText(rows.save()),
      async counts() {
        const { users, accounts, sessions, links } = rows.save()
        return { users: users.size, accounts: accounts.size, sessions: sessions.size, links: links.size }
      },
      close: async () => {},
    }
  },
}

/**
 * Stores users and sessions in memory, for tests and experiments.
 *
 * @module
 */
import { MemoryStore } from "../store/memory.js"
import type { BuiltInAdapter } from "./adapter.js"
import { MemoryRows } from "./memory/rows.js"
import { createMemoryAdapter } from "./memory/transactions.js"

/** Options of the memory adapter. */
export interface MemoryAdapterOptions {
  /** Returns the time in milliseconds since 1970, for tests. @default Date.now */
  now?: () => number
}

/**
 * Stores users, accounts, sessions, links and passkeys in memory until the process ends.
 *
 * For tests and development. In production it emits a process warning.
 *
 * @example
 * import { MemoryAdapter } from "latchkey/adapters/memory"
 *
 * app.use(authMiddleware({ adapter: MemoryAdapter(), providers: [GitHub] }))
 */
export function MemoryAdapter({ now = Date.now }: MemoryAdapterOptions = {}): BuiltInAdapter {
  if (process.env["NODE_ENV"] === "production")
    process.emitWarning(
      "MemoryAdapter loses all data at a restart and works with one process only: use SqlAdapter or RedisAdapter",
      { code: "LATCHKEY_MEMORY_ADAPTER" },
    )
  return createMemoryAdapter(new MemoryRows(now), MemoryStore({ now }))
}

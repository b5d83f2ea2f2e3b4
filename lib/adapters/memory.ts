/**
 * Users and sessions in this process' memory, for tests and for trying things out.
 *
 * @module
 */
import type { OwnAdapter } from "./adapter.js"
import { adapterOver } from "./memory/adapter-over.js"
import { MemoryRows } from "./memory/rows.js"

/** What a memory adapter may be told. */
export interface MemoryAdapterOptions {
  /** The time in milliseconds since 1970, for tests; `Date.now` by itself. */
  now?: () => number
}

/**
 * Keeps users, accounts, sessions, links and passkeys in this process' memory, until it ends.
 *
 * For tests and development: in production it prints a warning.
 *
 * @example
 * import { MemoryAdapter } from "latchkey/adapters/memory"
 *
 * app.use(authMiddleware({ adapter: MemoryAdapter(), providers: [GitHub] }))
 */
export function MemoryAdapter({ now = Date.now }: MemoryAdapterOptions = {}): OwnAdapter {
  if (process.env["NODE_ENV"] === "production")
    process.emitWarning(
      "MemoryAdapter forgets everyone at each restart and knows one process only: use SqlAdapter or RedisAdapter",
      { code: "LATCHKEY_MEMORY_ADAPTER" },
    )
  return adapterOver(new MemoryRows(now))
}

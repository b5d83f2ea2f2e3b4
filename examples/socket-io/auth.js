/**
 * The configuration. `npx latchkey doctor` loads this module too.
 */
import { MemoryStore } from "latchkey/stores/memory"
import { devProvider } from "latchkey/testing"

export const port = Number(process.env.PORT || 3000)

export const authConfig = {
  providers: [devProvider({ port: port + 1 })],
  // Records the sessions. With several processes, use SqlStore or RedisStore.
  store: MemoryStore(),
}

import type { Adapter } from "../../adapters/adapter.js"
import type { RedisServerSettings } from "../../store/redis/settings.js"
import { type DoctorFinding, ok, skip, warn } from "./finding.js"

const EVICTS = "Redis deletes keys of any kind when its memory is full: users and their accounts are lost"
const NOT_PERSISTENT = "Redis writes nothing to disk: after a restart there are no users"

function checkEviction({ evictionPolicy }: RedisServerSettings): DoctorFinding {
  if (evictionPolicy.startsWith("allkeys-"))
    return warn("redis-evicts-users", "adapter", EVICTS, {
      seen: `maxmemory-policy ${evictionPolicy}`,
      fix: "maxmemory-policy noeviction",
    })
  return ok("redis-evicts-users", "adapter", `Redis keeps users when its memory is full (${evictionPolicy})`)
}

function checkPersistence({ isPersistent }: RedisServerSettings): DoctorFinding {
  if (isPersistent === undefined)
    return skip("redis-not-persistent", "adapter", "the server does not report whether it writes to disk")
  if (isPersistent) return ok("redis-not-persistent", "adapter", "Redis writes its data to disk")
  return warn("redis-not-persistent", "adapter", NOT_PERSISTENT, {
    seen: 'appendonly no, and save ""',
    fix: "appendonly yes",
  })
}

/** Checks the server of the built-in Redis adapter, which has the only copy of the users. */
export async function checkRedis(adapter: Adapter): Promise<DoctorFinding[]> {
  const serverSettings: unknown = Reflect.get(adapter, "serverSettings")
  if (typeof serverSettings !== "function") return []
  const settings: RedisServerSettings | undefined = await serverSettings.call(adapter)
  return settings ? [checkEviction(settings), checkPersistence(settings)] : []
}

import type { RedisServerSettings } from "../../store/redis/settings.js"
import { callIfPresent, type DoctorFinding, ok, skip, warn } from "./check.js"

const EVICTION_CODE = "redis-evicts-data"
const PERSISTENCE_CODE = "redis-not-persistent"
const [NO_EVICTION, APPEND_ONLY] = ["maxmemory-policy noeviction", "appendonly yes"]

function checkEviction({ evictionPolicy: policy }: RedisServerSettings, subject: string): DoctorFinding {
  if (policy === "")
    return skip(EVICTION_CODE, subject, `the server does not report its settings: check that it has ${NO_EVICTION}`)
  return policy === "noeviction"
    ? ok(EVICTION_CODE, subject, `Redis keeps its data when its memory is full (${policy})`)
    : warn(EVICTION_CODE, subject, { seen: `maxmemory-policy ${policy}`, fix: NO_EVICTION })
}

function checkPersistence({ appendsChanges, isPersistent }: RedisServerSettings, subject: string): DoctorFinding {
  if (appendsChanges) return ok(PERSISTENCE_CODE, subject, "Redis writes each change to disk")
  if (isPersistent === undefined)
    return skip(
      PERSISTENCE_CODE,
      subject,
      `the server does not allow CONFIG GET save: check that it has ${APPEND_ONLY}`,
    )
  return warn(PERSISTENCE_CODE, subject, {
    seen: `appendonly no, and save ${isPersistent ? "is set" : '""'}`,
    fix: APPEND_ONLY,
  })
}

/**
 * Checks that the Redis server of an adapter or store of this package does not lose data. Returns no findings for
 * adapters and stores that do not use Redis.
 */
export async function checkRedis(target: object, subject: "adapter" | "store"): Promise<DoctorFinding[]> {
  if (!("serverSettings" in target)) return []
  const settings = await callIfPresent<RedisServerSettings>(target, "serverSettings")
  if (settings) return [checkEviction(settings, subject), checkPersistence(settings, subject)]
  return [
    skip(
      EVICTION_CODE,
      subject,
      `the settings of a cluster are not read: check that each node has ${NO_EVICTION} and ${APPEND_ONLY}`,
    ),
  ]
}

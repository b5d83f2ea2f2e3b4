import type { RedisServerSettings } from "../../store/redis/settings.js"
import { callOwn, type DoctorFinding, ok, skip, warn } from "./check.js"

const EVICTS = "redis-evicts-data"
const UNSAVED = "redis-not-persistent"
const [KEEP, APPEND] = ["maxmemory-policy noeviction", "appendonly yes"]

function checkEviction({ evictionPolicy: policy }: RedisServerSettings, subject: string): DoctorFinding {
  if (policy === "") return skip(EVICTS, subject, `the server does not report its settings: check that it has ${KEEP}`)
  return policy === "noeviction"
    ? ok(EVICTS, subject, `Redis keeps its data when its memory is full (${policy})`)
    : warn(EVICTS, subject, { seen: `maxmemory-policy ${policy}`, fix: KEEP })
}

function checkPersistence({ appendsChanges, isPersistent }: RedisServerSettings, subject: string): DoctorFinding {
  if (appendsChanges) return ok(UNSAVED, subject, "Redis writes each change to disk")
  if (isPersistent === undefined)
    return skip(UNSAVED, subject, `the server does not allow CONFIG GET save: check that it has ${APPEND}`)
  return warn(UNSAVED, subject, { seen: `appendonly no, and save ${isPersistent ? "is set" : '""'}`, fix: APPEND })
}

/** Checks that the Redis server of an adapter or store of this package does not lose data. Others have no findings. */
export async function checkRedis(target: object, subject: "adapter" | "store"): Promise<DoctorFinding[]> {
  if (!("serverSettings" in target)) return []
  const settings = await callOwn<RedisServerSettings>(target, "serverSettings")
  if (settings) return [checkEviction(settings, subject), checkPersistence(settings, subject)]
  return [skip(EVICTS, subject, `not read from a cluster: check that each node has ${KEEP} and ${APPEND}`)]
}

import { asError } from "../../errors/errors.js"
import { isMemoryStore } from "../../store/memory.js"
import type { Store } from "../../store/store.js"
import { ADD_STORE, type DoctorContext, type DoctorFinding, fail, ok, warn } from "./check.js"
import { checkRedis } from "./redis.js"

const CODE = "store-not-durable"

/** Returns the finding about whether a store keeps its records until they expire. */
function checkDurable(store: Store, { isProduction }: DoctorContext["resolved"]): DoctorFinding {
  if (store.durable) return ok(CODE, "store", "the records of sessions remain until they expire")
  const seen = isMemoryStore(store) ? "records in the memory of the process" : "durable: false"
  return isProduction
    ? warn(CODE, "store", { seen, fix: ADD_STORE })
    : ok(CODE, "store", `${seen}, which is enough for development`)
}

/** Checks that the store keeps the records of sessions. If a record is lost, its session ends. */
export async function checkDurability({ runtime, resolved }: DoctorContext): Promise<DoctorFinding[]> {
  const { store, adapter } = resolved
  if (!store || !runtime.sessions.registry) return []
  // If the adapter provides the store, the two use the same Redis server, which `checkAdapter` checks.
  const isAdapterStore = Reflect.get(Object(adapter), "store") === store
  if ("serverSettings" in store) return isAdapterStore ? [] : await checkRedisServer(store)
  return [checkDurable(store, resolved)]
}

async function checkRedisServer(store: Store): Promise<DoctorFinding[]> {
  try {
    return await checkRedis(store, "store")
  } catch (error) {
    return [fail("adapter-failed", "store", { seen: asError(error).message, fix: "check its address and permissions" })]
  }
}

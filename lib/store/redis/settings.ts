import { isCluster } from "./client.js"

/** The settings of a Redis server that affect persistence. */
export interface RedisServerSettings {
  /** `maxmemory-policy`: which keys Redis deletes when its memory is full. */
  readonly evictionPolicy: string
  /** True if Redis writes each change to disk (`appendonly`). */
  readonly appendsChanges: boolean
  /** True if Redis writes its data to disk, by `appendonly` or `save`; undefined if the server does not report it. */
  readonly isPersistent: boolean | undefined
}

/** Sends a command to the server. */
type Send = (...command: string[]) => Promise<unknown>

/**
 * Returns a function that sends a command with a client of `ioredis` or `redis`; undefined for a cluster, whose nodes
 * can have different settings, and for any other client.
 */
function createSender(client: object): Send | undefined {
  if (isCluster(client)) return undefined
  const call: unknown = Reflect.get(client, "call")
  if (typeof call === "function") return async (...command) => call.apply(client, command)
  const sendCommand: unknown = Reflect.get(client, "sendCommand")
  if (typeof sendCommand === "function") return async (...command) => sendCommand.call(client, command)
  return undefined
}

/** Returns whether snapshots are enabled; undefined if the server rejects CONFIG, as many hosted servers do. */
async function savesSnapshots(send: Send): Promise<boolean | undefined> {
  try {
    // The response is a list with the name and the value, or a map.
    const answer = await send("CONFIG", "GET", "save")
    const [, value] = Array.isArray(answer) ? answer : Object.entries(Object(answer)).flat()
    return String(value ?? "") !== ""
  } catch {
    return undefined
  }
}

/** Returns the settings of the server; undefined for a cluster, or if the client can't send arbitrary commands. */
export async function readServerSettings(client: object): Promise<RedisServerSettings | undefined> {
  const send = createSender(client)
  if (!send) return undefined
  const info = String(await send("INFO"))
  const field = (name: string) => new RegExp(`^${name}:(\\S*)`, "m").exec(info)?.[1] ?? ""
  const appendsChanges = field("aof_enabled") === "1"
  const isPersistent = appendsChanges || (await savesSnapshots(send))
  return { evictionPolicy: field("maxmemory_policy"), appendsChanges, isPersistent }
}

import { createHash } from "node:crypto"
import { isError } from "../../errors/errors.js"

/** A client or cluster client of the package `ioredis`. */
export interface IoRedisClient {
  /** Runs a script by its hash. */
  evalsha(sha: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  /** Runs a script. */
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** A client, cluster client or pool of the package `redis`. */
export interface NodeRedisClient {
  /** Runs a script by its hash. */
  evalSha(sha: string, options: ScriptCall): Promise<unknown>
  /** Runs a script. */
  eval(script: string, options: ScriptCall): Promise<unknown>
}

/** The keys and arguments of a script. */
export interface ScriptCall {
  /** The keys that the script uses. */
  keys: string[]
  /** The script's other arguments. */
  arguments: string[]
}

/** A client connected by the application. */
export type RedisClient = IoRedisClient | NodeRedisClient

/** Runs a script with its keys and its other arguments. */
export type RunScript = (keys: readonly string[], args: readonly string[]) => Promise<unknown>

const has = (client: unknown, ...methods: string[]): boolean =>
  methods.every((method) => typeof Reflect.get(Object(client), method) === "function")

const isIoRedis = (client: unknown): client is IoRedisClient => has(client, "evalsha", "eval")
const isNodeRedis = (client: unknown): client is NodeRedisClient => has(client, "evalSha", "eval")

/** Calls each kind of client, by the script's hash or with its text. */
function createRunner(client: unknown, script: string): { bySha: RunScript; byText: RunScript } | undefined {
  const sha = createHash("sha1").update(script).digest("hex")
  if (isNodeRedis(client))
    return {
      bySha: (keys, args) => client.evalSha(sha, { keys: [...keys], arguments: [...args] }),
      byText: (keys, args) => client.eval(script, { keys: [...keys], arguments: [...args] }),
    }
  if (isIoRedis(client))
    return {
      bySha: (keys, args) => client.evalsha(sha, keys.length, ...keys, ...args),
      byText: (keys, args) => client.eval(script, keys.length, ...keys, ...args),
    }
  return undefined
}

const noClient = (name: string) =>
  new TypeError(`${name} needs a client: new Redis(url) of ioredis, or createClient({ url }) of redis`)

/** Whether the client is a cluster: `ioredis` has a flag, `redis` lists its nodes. */
export const isCluster = (client: unknown): boolean =>
  Reflect.get(Object(client), "isCluster") === true || has(client, "nodeClient")

/**
 * Whether a key prefix has a hash tag. In a cluster, keys with the same hash tag are on one node, and a script can use
 * only keys of one node.
 */
export const hasHashTag = (prefix: string): boolean => /^[^{]*\{[^}]+\}/.test(prefix)

const isUnknownScript = (error: unknown): boolean => isError(error) && error.message.startsWith("NOSCRIPT")

/**
 * Prepares a script for a client, whose package is detected by its methods.
 *
 * @throws TypeError when the client is from neither package
 */
export function createScriptRunner(client: unknown, script: string, name: string): RunScript {
  const runner = createRunner(client, script)
  if (!runner) throw noClient(name)
  return async (keys, args) => {
    const sent = runner.bySha(keys, args)
    // Old clients have these methods, too, but require a callback.
    if (!has(sent, "then")) throw noClient(name)
    return sent.catch((error: unknown) => {
      // The server restarted, or another node of the cluster responded.
      if (isUnknownScript(error)) return runner.byText(keys, args)
      throw error
    })
  }
}

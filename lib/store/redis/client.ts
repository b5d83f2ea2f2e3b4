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

/** A Redis client that the application has created. */
export type RedisClient = IoRedisClient | NodeRedisClient

/** Runs a script with its keys and its other arguments. */
export type RunScript = (keys: readonly string[], args: readonly string[]) => Promise<unknown>

const hasMethods = (client: unknown, ...methods: string[]): boolean =>
  methods.every((method) => typeof Reflect.get(Object(client), method) === "function")

const isIoRedis = (client: unknown): client is IoRedisClient => hasMethods(client, "evalsha", "eval")
const isNodeRedis = (client: unknown): client is NodeRedisClient => hasMethods(client, "evalSha", "eval")

/**
 * Returns functions that run the script by its SHA-1 hash or by its text; undefined if the client is from neither
 * package.
 */
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

const createClientError = (caller: string) =>
  new TypeError(`${caller} needs a client: new Redis(url) of ioredis, or createClient({ url }) of redis`)

/**
 * True for a cluster client: `ioredis` sets the flag `isCluster`, and in `redis` only cluster clients have
 * `nodeClient()`.
 */
export const isCluster = (client: unknown): boolean =>
  Reflect.get(Object(client), "isCluster") === true || hasMethods(client, "nodeClient")

/**
 * True if a key prefix contains a hash tag, such as "{auth}:". In a cluster, all keys with the same hash tag are on one
 * node, and a script can use only keys of one node.
 */
export const hasHashTag = (prefix: string): boolean => /^[^{]*\{[^}]+\}/.test(prefix)

const isUnknownScript = (error: unknown): boolean => isError(error) && error.message.startsWith("NOSCRIPT")

/**
 * Returns a function that runs the script with a client of `ioredis` or `redis`. The names of the client's methods show
 * which package it is from. `caller` is the name of the function that received the client, for the error.
 *
 * @throws TypeError if the client is from neither package
 */
export function createScriptRunner(client: unknown, script: string, caller: string): RunScript {
  const runner = createRunner(client, script)
  if (!runner) throw createClientError(caller)
  return async (keys, args) => {
    const sent = runner.bySha(keys, args)
    // Old versions of `redis` have methods with the same names, which take a callback and return no promise.
    if (!hasMethods(sent, "then")) throw createClientError(caller)
    return sent.catch((error: unknown) => {
      // The server does not know the script: it has restarted, or this node of the cluster has not run the script
      // before.
      if (isUnknownScript(error)) return runner.byText(keys, args)
      throw error
    })
  }
}

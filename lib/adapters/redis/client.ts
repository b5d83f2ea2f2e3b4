import { isError } from "../../errors.js"
import { SCRIPT, SCRIPT_SHA } from "./script.js"

/** A client of the package `ioredis`, one of a cluster too. */
export interface IoRedisClient {
  /** Runs a script by its hash. */
  evalsha(sha: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  /** Runs a script. */
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** A client of the package `redis`, one of a cluster or a pool too. */
export interface NodeRedisClient {
  /** Runs a script by its hash. */
  evalSha(sha: string, options: ScriptCall): Promise<unknown>
  /** Runs a script. */
  eval(script: string, options: ScriptCall): Promise<unknown>
}

/** Keys and arguments of a script. */
export interface ScriptCall {
  /** The keys that the script uses. */
  keys: string[]
  /** The script's other arguments. */
  arguments: string[]
}

/** A client that the application has connected. */
export type RedisClient = IoRedisClient | NodeRedisClient

/** Runs the script with arguments, over the given client. */
export type RunScript = (...args: string[]) => Promise<string>

const has = (client: unknown, ...methods: string[]): boolean =>
  methods.every((method) => typeof Reflect.get(Object(client), method) === "function")

const isIoRedis = (client: unknown): client is IoRedisClient => has(client, "evalsha", "eval")
const isNodeRedis = (client: unknown): client is NodeRedisClient => has(client, "evalSha", "eval")

/** How each kind of client is called: by the script's hash, and with its text. */
function callsOf(client: unknown, prefix: string): { bySha: RunCall; byText: RunCall } {
  if (isNodeRedis(client))
    return {
      bySha: (args) => client.evalSha(SCRIPT_SHA, { keys: [prefix], arguments: args }),
      byText: (args) => client.eval(SCRIPT, { keys: [prefix], arguments: args }),
    }
  if (isIoRedis(client))
    return {
      bySha: (args) => client.evalsha(SCRIPT_SHA, 1, prefix, ...args),
      byText: (args) => client.eval(SCRIPT, 1, prefix, ...args),
    }
  throw noClient()
}

const noClient = () =>
  new TypeError("RedisAdapter needs a client: new Redis(url) of ioredis, or createClient({ url }) of redis")

/** A cluster of `ioredis` says so; one of `redis` gives its nodes. */
export const isCluster = (client: unknown): boolean =>
  Reflect.get(Object(client), "isCluster") === true || has(client, "nodeClient")

/** All keys that have the same text in braces are on one node of a cluster, and only there a script finds them. */
const HASH_TAG = /^[^{]*\{[^}]+\}/

type RunCall = (args: string[]) => Promise<unknown>

const isUnknownScript = (error: unknown): boolean => isError(error) && error.message.startsWith("NOSCRIPT")

/**
 * Tells by its methods which package a client comes from.
 *
 * @throws TypeError when it is neither's, or a cluster's with a prefix that spreads keys over the nodes
 */
export function scriptRunner(client: unknown, prefix: string): RunScript {
  if (isCluster(client) && !HASH_TAG.test(prefix))
    throw new TypeError('In a cluster all keys must be on one node: RedisAdapter(client, { prefix: "{auth}:" })')
  const { bySha, byText } = callsOf(client, prefix)
  return async (...args) => {
    const sent = bySha(args)
    // Old clients have these methods too, but want a callback.
    if (!has(sent, "then")) throw noClient()
    const answer = await sent.catch((error: unknown) => {
      // A server that has restarted, or another one of a cluster.
      if (isUnknownScript(error)) return byText(args)
      throw error
    })
    // A client may be set to give buffers.
    return String(answer)
  }
}

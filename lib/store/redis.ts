/**
 * A store in Redis, with the application's client.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { createScriptRunner, type RedisClient } from "./redis/client.js"
import { type RedisServerSettings, readServerSettings } from "./redis/settings.js"
import {
  DEFAULT_LIMIT,
  type OwnStore,
  requireAddress,
  requireRecord,
  requireWindow,
  type StorePage,
  type StoreRecord,
} from "./store.js"

export type { RedisClient } from "./redis/client.js"
export type { RedisServerSettings } from "./redis/settings.js"

/** Options of the Redis store. */
export interface RedisStoreOptions {
  /** The prefix of every key. @default "auth-store:" */
  prefix?: string
}

/** A store on a Redis server. */
export interface OwnRedisStore extends OwnStore {
  /** Returns the server settings that affect persistence; undefined for a cluster. */
  serverSettings(): Promise<RedisServerSettings | undefined>
}

/**
 * Runs one operation. Every operation uses a single key, because a cluster can change several keys atomically only if
 * they are on one node.
 *
 * A record is a string, which Redis reads faster than a hash. Its first three lines are the version, the expiry and the
 * owner; the rest is the value. An index contains the keys of an owner's records. It is a sorted set, whose scores are
 * the times at which the keys were added or last checked. Times are in milliseconds. The server's clock decides what
 * has expired.
 */
const SCRIPT = `
local key, op = KEYS[1], ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function write(version, expires, owner, value)
  redis.call('SET', key, table.concat({ version, expires, owner, value }, '\\n'))
  if expires ~= '' then redis.call('PEXPIREAT', key, expires) end
end

local function is_met(condition)
  if condition == '*' then return true end
  return string.match(redis.call('GET', key) or '', '^[^\\n]*') == condition
end

if op == 'get' then
  return redis.call('GET', key)
elseif op == 'set' then
  if not is_met(ARGV[2]) then return 0 end
  write(ARGV[3], ARGV[4], ARGV[5], ARGV[6])
  return 1
elseif op == 'delete' then
  if not is_met(ARGV[2]) then return 0 end
  return redis.call('DEL', key)
elseif op == 'increment' then
  local by, window = tonumber(ARGV[3]), tonumber(ARGV[4])
  local expires, value = string.match(redis.call('GET', key) or '', '^[^\\n]*\\n([^\\n]*)\\n[^\\n]*\\n(.*)$')
  local ends = tonumber(expires or '')
  -- A window that starts now ends at now + window. If the stored window ends even later, the clock was set back, or the
  -- window was shortened. The counter then starts again.
  local is_current = ends and ends <= now + window
  local count = math.max(0, (is_current and tonumber(value) or 0) + by)
  if not is_current then ends = now + window end
  write(ARGV[2], string.format('%.0f', ends), '', string.format('%.0f', count))
  return { count, ends - now }
elseif op == 'index' then
  local ttl = redis.call('PTTL', key)
  redis.call('ZADD', key, now, ARGV[2])
  if ARGV[3] == '' then redis.call('PERSIST', key)
  elseif ttl == -2 or (ttl >= 0 and now + ttl < tonumber(ARGV[3])) then redis.call('PEXPIREAT', key, ARGV[3]) end
  if redis.call('ZCARD', key) <= tonumber(ARGV[5]) then return {} end
  return redis.call('ZRANGEBYSCORE', key, '-inf', now - ARGV[4], 'LIMIT', 0, 2)
elseif op == 'keys' then
  return redis.call('ZRANGE', key, 0, -1)
elseif op == 'unindex' then
  local added = redis.call('ZSCORE', key, ARGV[2])
  if added and tonumber(added) < now - ARGV[3] then return redis.call('ZREM', key, ARGV[2]) end
  return 0
end
`

/**
 * Index entries that are younger than this are neither checked nor deleted, because `set` writes the entry before its
 * record.
 */
const INDEX_GRACE_MS = 60_000
/**
 * If an index has more entries than this, each write to the index also checks the two entries that were checked least
 * recently, and deletes those without a record. Each write adds at most one entry and checks two, so a long index has
 * at most about twice as many entries as live records.
 */
const CHECKED_INDEX_SIZE = 16
/** How many records `list` reads concurrently. */
const BATCH = 100

const toStrings = (answer: unknown): string[] =>
  Array.isArray(answer) ? answer.map((part: unknown) => (part === null ? "" : String(part))) : []

/**
 * Creates a store in Redis or a Redis Cluster.
 *
 * `client` is a client of `ioredis` or `redis`, which the application closes. The server must not evict keys: set
 * `maxmemory-policy` to `noeviction`.
 *
 * @throws TypeError if the client is from neither package
 *
 * @example
 * import { Redis } from "ioredis"
 * import { RedisStore } from "latchkey/stores/redis"
 *
 * app.use(authMiddleware({ store: RedisStore(new Redis(process.env.REDIS_URL)), providers: [GitHub] }))
 */
export function RedisStore(client: RedisClient, { prefix = "auth-store:" }: RedisStoreOptions = {}): OwnRedisStore {
  const runScript = createScriptRunner(client, SCRIPT, "RedisStore")
  const recordKey = (kind: string, key: string) => `${prefix}record:${kind}:${key}`
  const indexKey = (kind: string, owner: string) => `${prefix}owner:${kind}:${owner}`
  let isEvicting = false
  let isEvictionChecked = false
  /**
   * Runs an operation on one key. The first call also starts to check the server's eviction policy, in the background.
   */
  const run = (key: string, ...args: string[]): Promise<unknown> => {
    if (!isEvictionChecked) void checkEviction()
    isEvictionChecked = true
    return runScript([key], args)
  }
  const checkEviction = async () => {
    const settings = await readServerSettings(client).catch(() => undefined)
    isEvicting = /^(?:allkeys|volatile)-/.test(settings?.evictionPolicy ?? "")
    if (isEvicting)
      process.emitWarning(
        `RedisStore: maxmemory-policy is ${settings?.evictionPolicy}, so Redis may delete records before they expire: set it to noeviction`,
        { code: "LATCHKEY_REDIS_EVICTION" },
      )
  }

  async function read(kind: string, key: string): Promise<StoreRecord | null> {
    const record = await run(recordKey(kind, key), "get")
    if (record === null) return null
    const [version = "", expires = "", owner = "", ...value] = String(record).split("\n")
    const ends = expires === "" ? null : new Date(Number(expires))
    return { key, value: value.join("\n"), version, ...(owner !== "" && { owner }), expires: ends }
  }

  /**
   * Reads the record of an index entry. If the owner has no such record, deletes the entry (unless it is too young, see
   * `INDEX_GRACE_MS`) and returns undefined.
   */
  async function readIndexed(kind: string, owner: string, key: string): Promise<StoreRecord | undefined> {
    const record = await read(kind, key)
    if (record?.owner === owner) return record
    await run(indexKey(kind, owner), "unindex", key, String(INDEX_GRACE_MS))
    return undefined
  }

  /**
   * Adds an entry to an owner's index, or marks it as checked. If the index is long, returns the keys of up to two
   * entries that were checked least recently.
   */
  async function addToIndex(kind: string, owner: string, { key, ends }: { key: string; ends: string }) {
    const limits = [INDEX_GRACE_MS, CHECKED_INDEX_SIZE].map(String)
    return toStrings(await run(indexKey(kind, owner), "index", key, ends, ...limits))
  }

  /** Checks the given entries of an index: deletes those without a record, and marks the others as checked. */
  async function checkIndexed(kind: string, owner: string, keys: readonly string[]): Promise<void> {
    const check = async (key: string) => {
      const record = await readIndexed(kind, owner, key)
      const ends = record?.expires ? String(record.expires.getTime()) : ""
      if (record) await addToIndex(kind, owner, { key, ends })
    }
    await Promise.all(keys.map(check))
  }

  /** Returns an owner's records, ordered by key. It reads the records of a batch concurrently, in one round trip. */
  async function listRecords(kind: string, owner: string, { limit, after = "" }: StorePage): Promise<StoreRecord[]> {
    const keys = toStrings(await run(indexKey(kind, owner), "keys"))
    const remainingKeys = keys.filter((key) => key > after).sort()
    const found: StoreRecord[] = []
    while (remainingKeys.length > 0 && found.length < limit) {
      const batch = remainingKeys.splice(0, Math.min(BATCH, limit - found.length))
      const records = await Promise.all(batch.map((key) => readIndexed(kind, owner, key)))
      found.push(...records.filter((record) => record !== undefined))
    }
    return found
  }

  return {
    get durable() {
      return !isEvicting
    },
    async get(kind, key) {
      requireAddress(kind, "key", key)
      return read(kind, key)
    },
    async set(kind, key, record) {
      requireAddress(kind, "key", key)
      requireRecord(record)
      const { value, owner = "", expires, ifVersion } = record
      const version = randomBytes(12).toString("base64url")
      const ends = expires === null ? "" : String(expires.getTime())
      const startedAt = performance.now()
      // The index entry is written before the record, so that `list` finds every record. The two can't be written
      // atomically, because in a cluster they may be on different nodes.
      const writeIndexEntry = () => addToIndex(kind, owner, { key, ends })
      const keysToCheck = owner === "" ? [] : await writeIndexEntry()
      const condition = ifVersion === undefined ? "*" : (ifVersion ?? "")
      const [written] = await Promise.all([
        run(recordKey(kind, key), "set", condition, version, ends, owner, value),
        checkIndexed(kind, owner, keysToCheck),
      ])
      const isWritten = Number(written) === 1
      // If the write took long, for example because this process was paused, `list` in another process may have deleted
      // the index entry before the record was written. The entry is then added again.
      if (owner !== "" && isWritten && performance.now() - startedAt > INDEX_GRACE_MS / 2) await writeIndexEntry()
      return isWritten ? version : null
    },
    async delete(kind, key, ifVersion) {
      requireAddress(kind, "key", key)
      return Number(await run(recordKey(kind, key), "delete", ifVersion ?? "*")) === 1
    },
    async list(kind, owner, page = { limit: DEFAULT_LIMIT }) {
      requireAddress(kind, "owner", owner)
      return listRecords(kind, owner, page)
    },
    async increment(kind, key, window) {
      requireAddress(kind, "key", key)
      requireWindow(window)
      const { seconds, by = 1 } = window
      const version = randomBytes(12).toString("base64url")
      const answer = await run(
        recordKey(kind, key),
        "increment",
        version,
        String(by),
        String(Math.round(seconds * 1000)),
      )
      const [count, remainingMs] = toStrings(answer).map(Number)
      return { count: count ?? 0, resetsAt: new Date(Date.now() + (remainingMs ?? 0)) }
    },
    migrate: async () => undefined,
    // Redis deletes expired keys itself.
    deleteExpired: async () => 0,
    close: async () => undefined,
    serverSettings: () => readServerSettings(client),
  }
}

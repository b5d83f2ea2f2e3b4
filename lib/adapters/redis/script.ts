import { FUNCTIONS } from "./script-functions.js"
import { OPERATIONS } from "./script-operations.js"

const MAIN = `
-- Sets the expiry of an index, unless the index already expires later.
local function keep_until(key, expiry)
  local time, remaining = redis.call('TIME'), redis.call('PTTL', key)
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  if remaining == -1 or remaining < expiry - now then redis.call('PEXPIREAT', key, expiry) end
end

local function write_changes()
  for key, target in pairs(rows) do
    if target.dropped then redis.call('DEL', prefix .. key) end
    for name in pairs(target.changed) do redis.call('HSET', prefix .. key, name, target.fields[name]) end
    if target.expiry then redis.call('PEXPIREAT', prefix .. key, target.expiry) end
  end
  for key, changes in pairs(sets) do
    for member, is_in in pairs(changes) do redis.call(is_in and 'SADD' or 'SREM', prefix .. key, member) end
    if expiries[key] then keep_until(prefix .. key, expiries[key]) end
  end
end

local expected = cjson.decode(ARGV[3])
local succeeded, answer = pcall(function()
  local last
  for i, call in ipairs(cjson.decode(ARGV[1])) do
    last = cjson.encode(op[call[1]](unpack(call, 2)))
    if expected[i] and expected[i] ~= last then return '~' end
  end
  return '=' .. last
end)

if not succeeded then
  if type(answer) == 'table' and answer.rejected then return '!' .. answer.rejected end
  error(answer)
end
if ARGV[2] == 'keep' and answer ~= '~' then write_changes() end
return answer
`

/**
 * The adapter's Lua script. It runs a list of operations: either all of them or none.
 *
 * Redis does not roll back a script that fails. So the operations change a buffer in Lua, and the script writes the
 * buffer to Redis only after all operations have succeeded.
 *
 * - KEYS[1] is the key prefix.
 * - ARGV[1] is the list of operations, as JSON.
 * - ARGV[2] is "keep" to write the changes, or "try" to write nothing.
 * - ARGV[3] is the list of expected results, as JSON. It is empty except at the commit of a transaction.
 *
 * The response is "=" and the last result as JSON, "!" and the reason if an operation was rejected, or "~" if a result
 * differs from the expected result.
 */
export const SCRIPT = FUNCTIONS + OPERATIONS + MAIN

import { FUNCTIONS } from "./script-functions.js"
import { OPERATIONS } from "./script-operations.js"

const MAIN = `
-- An index expires with its last entry.
local function keep_until(key, expiry)
  local time, left = redis.call('TIME'), redis.call('PTTL', key)
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  if left == -1 or left < expiry - now then redis.call('PEXPIREAT', key, expiry) end
end

local function write_changes()
  for key, target in pairs(rows) do
    if target.dropped then redis.call('DEL', prefix .. key) end
    for name in pairs(target.changed) do redis.call('HSET', prefix .. key, name, target.fields[name]) end
    if target.expiry then redis.call('PEXPIREAT', prefix .. key, target.expiry) end
  end
  for key, marks in pairs(sets) do
    for member, is_in in pairs(marks) do redis.call(is_in and 'SADD' or 'SREM', prefix .. key, member) end
    if expiries[key] then keep_until(prefix .. key, expiries[key]) end
  end
end

local expected = cjson.decode(ARGV[3])
local is_done, answer = pcall(function()
  local last
  for i, call in ipairs(cjson.decode(ARGV[1])) do
    last = cjson.encode(op[call[1]](unpack(call, 2)))
    if expected[i] and expected[i] ~= last then return '~' end
  end
  return '=' .. last
end)

if not is_done then
  if type(answer) == 'table' and answer.refused then return '!' .. answer.refused end
  error(answer)
end
if ARGV[2] == 'keep' and answer ~= '~' then write_changes() end
return answer
`

/**
 * The adapter's Lua script. It receives a list of operations and runs either all of them or none.
 *
 * Redis does not roll back a script that fails. So the operations read into and write to a buffer in Lua, which is
 * written to Redis only after all of them have succeeded.
 *
 * KEYS[1] is the prefix. ARGV: the operations as JSON, "keep" or "try" (which writes nothing), and in a transaction the
 * result of each operation when it was tried. The response begins with "=" followed by the last result as JSON, with
 * "!" if an operation was rejected, or with "~" if a result differs from the expected one.
 */
export const SCRIPT = FUNCTIONS + OPERATIONS + MAIN
